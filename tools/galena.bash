# bash completion for galena(1): commands and options are those that --help names
_galena_options() { "$@" --help 2>/dev/null | grep -oE '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,'; }
_galena() {
	local galena=$1 word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
	case $previous in
	--config) COMPREPLY=($(compgen -W "full mini" -- "$word")); return ;;
	--speed) COMPREPLY=($(compgen -W "timed functional" -- "$word")); return ;;
	--device) COMPREPLY=($(compgen -W "model remote" -- "$word")); return ;;
	--device-type) COMPREPLY=($(compgen -W "gpu accelerator cpu" -- "$word")); return ;;
	--output | --base) COMPREPLY=($(compgen -d -- "$word")); return ;;
	--reasons) COMPREPLY=($(compgen -f -- "$word")); return ;;
	--devices) COMPREPLY=($(compgen -W "1 2 4 8 16" -- "$word")); return ;;
	--inject) COMPREPLY=($(compgen -W "$("$galena" run --inject list 2>/dev/null | sed -n 's/^\([A-Z_]*_[A-Z_]*\) .*/\1/p') list" -- "$word")); return ;;
	--fail-on) COMPREPLY=($(compgen -W "none rule fault all" -- "$word")); return ;;
	--log) COMPREPLY=($(compgen -W "none error info debug" -- "$word")); return ;;
	esac
	if [ "$COMP_CWORD" = 1 ]; then
		COMPREPLY=($(compgen -W "$("$galena" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p') help" -- "$word"))
	elif [[ $word == -* ]]; then
		[ "$command ${COMP_WORDS[2]}" = "trace draw" ] && command="trace draw"
		COMPREPLY=($(compgen -W "$(_galena_options "$galena" $command) --" -- "$word"))
	elif [ "$command $COMP_CWORD" = "trace 2" ]; then
		COMPREPLY=($(compgen -W "info dump replay draw" -- "$word"))
	elif [ "$command" = run ]; then
		COMPREPLY=($(compgen -c -- "$word"))
	elif [ "$command" = profile ]; then
		COMPREPLY=($(compgen -d -- "$word"))
	else
		COMPREPLY=($(compgen -f -- "$word"))
	fi
}
complete -F _galena galena
