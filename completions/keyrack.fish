# Completion of keyrack for fish. Commands and options are those of its help, names of accounts come from the daemon: where it
# does not answer there are none. Nothing that is asked here signs in to anything.

function __keyrack_ask
    command timeout 1 keyrack $argv 2>/dev/null </dev/null
end

# The items of a list in the help, such as "commands", with what they are behind a tab.
function __keyrack_list
    sed -n "/^$argv[1].*:\$/,/^\$/s/^  //p" | sed 's/   */\t/'
end

# The names in a table.
function __keyrack_names
    __keyrack_ask $argv[1] list | sed '1d;s/ .*//' | sort -u
end

# __keyrack_operands COMMAND COUNT HELP...: what may follow so many operands.
function __keyrack_operands
    switch "$argv[1]:$argv[2]"
        case 'help:0'
            __keyrack_ask help | __keyrack_list '\(commands\|topics\)'
        case 'account add:*'
        case 'account remove:0'
            __keyrack_names account
        case 'provider show:0' 'provider secret:0'
            __keyrack_names provider
        case 'import:0'
            string match -rg 'keyrack import (\S+) FILE' -- $argv[3..]
        case 'import:1' 'token-file:1' 'exec:1' 'curl:1'
            __fish_complete_path (commandline -ct)
        case '*:0'
            string match -q '*ACCOUNT*' -- $argv[3]; and __keyrack_names account
    end
end

function __keyrack_candidates
    set -l words (commandline -opc)[2..]
    set -l current (commandline -ct)
    set -l operands (string match -v -- '-*' $words)
    set -l lines (__keyrack_ask help | __keyrack_list commands)
    set -l commands (string replace -r '\t.*' '' -- $lines)
    set -l command
    for word in "$operands[1..2]" "$operands[1]"
        if contains -- "$word" $commands
            set command $word
            break
        end
    end
    if test -z "$command"
        switch (count $operands)
            case 0
                string match -v -r '^\S+ \S+\t' -- $lines
                string match -rg '^(\S+) \S+\t' -- $lines | sort -u
            case 1
                string match -rg "^$operands[1] (.*)" -- $lines
        end
        return
    end
    set -l help (__keyrack_ask (string split ' ' -- $command) --help)
    set -l options (string join \n -- $help | __keyrack_list options)
    set -l taking (string match -rg '^(--[a-z-]+) [A-Z]' -- $options)
    if string match -q -- '--provider=*' $current
        printf -- '--provider=%s\n' (__keyrack_names provider)
    else if test (count $words) -gt 0; and contains -- $words[-1] $taking
        test $words[-1] = --provider; and __keyrack_names provider
    else if string match -q -- '-*' $current
        string replace -r '^(--[a-z-]+) [A-Z]+' '$1' -- $options
    else
        set -l number (math 0 - (count (string split ' ' -- $command)))
        set -l isValue no
        for word in $words
            if test $isValue = yes
                set isValue no
            else if not string match -q -- '-*' $word
                set number (math $number + 1)
            else if contains -- $word $taking
                set isValue yes
            end
        end
        __keyrack_operands $command $number $help
    end
end

complete -c keyrack -f -a '(__keyrack_candidates)'
