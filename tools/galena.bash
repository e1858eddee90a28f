# bash completion for galena(1)
_galena() {
	local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	case $previous in
	--config) COMPREPLY=($(compgen -W "full mini" -- "$word")); return ;;
	--speed) COMPREPLY=($(compgen -W "timed functional" -- "$word")); return ;;
	--device) COMPREPLY=($(compgen -W "model" -- "$word")); return ;;
	--device-type) COMPREPLY=($(compgen -W "gpu accelerator cpu" -- "$word")); return ;;
	--output | --base) COMPREPLY=($(compgen -d -- "$word")); return ;;
	--reasons) COMPREPLY=($(compgen -f -- "$word")); return ;;
	--devices) COMPREPLY=($(compgen -W "1 2 4 8 16" -- "$word")); return ;;
	--inject) COMPREPLY=($(compgen -W "$(galena run --inject list 2>/dev/null | sed -n 's/^\([A-Z_]*\)  *.*/\1/p') list" -- "$word")); return ;;
	--fail-on) COMPREPLY=($(compgen -W "none rule fault all" -- "$word")); return ;;
	--log) COMPREPLY=($(compgen -W "none error info debug" -- "$word")); return ;;
	esac
	if [ "$COMP_CWORD" = 1 ]; then
		COMPREPLY=($(compgen -W "env run info clc trace profile serve top conformance help" -- "$word"))
		return
	fi
	case ${COMP_WORDS[1]} in
	run)
		if [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "--device --config --speed --devices --trace --events --check --fail-on --wave --hash --counters --profile --inject --watchdog --log --" -- "$word"))
		else
			COMPREPLY=($(compgen -c -- "$word"))
		fi ;;
	trace)
		if [ "$COMP_CWORD" = 2 ]; then
			COMPREPLY=($(compgen -W "info dump replay draw" -- "$word"))
		else
			COMPREPLY=($(compgen -f -- "$word"))
		fi ;;
	profile) COMPREPLY=($(compgen -d -- "$word")) ;;
	conformance)
		if [[ $word == -* ]]; then
			COMPREPLY=($(compgen -W "--output --base --jobs --timeout --log-limit --only --env --device --config --speed --devices --device-type --retry-failed --fresh --list --report --reasons --title --note --programs --list-option --pattern --trust-exit --verbose" -- "$word"))
		else
			COMPREPLY=($(compgen -f -- "$word"))
		fi ;;
	serve) COMPREPLY=($(compgen -f -W "--socket --config --speed --devices" -- "$word")) ;;
	top) COMPREPLY=($(compgen -W "--once --interval" -- "$word")) ;;
	info) COMPREPLY=($(compgen -W "--config --registers --env" -- "$word")) ;;
	clc) COMPREPLY=($(compgen -f -- "$word")) ;;
	esac
}
complete -F _galena galena
