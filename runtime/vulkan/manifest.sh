#!/bin/sh
# manifest.sh LIBRARY: the manifest by which the Vulkan loader finds the driver.
cat <<END
{
    "file_format_version": "1.0.1",
    "ICD": {
        "library_path": "$1",
        "api_version": "1.3.0"
    }
}
END
