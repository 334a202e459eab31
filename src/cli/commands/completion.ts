/** `confam completion`: a script for the shell, made from the commands themselves. */
import { Argument, type Command, type Option } from 'commander';

/** A command as the scripts need it. */
interface Node {
  /** `batch submit`; empty for the program. */
  path: string;
  commands: { name: string; description: string }[];
  flags: { names: string[]; description: string; choices: readonly string[]; isSwitch: boolean }[];
  /** Values of its first argument. */
  values: readonly string[];
}

export function addCompletion(command: Command): void {
  command
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      `
Examples:
  $ confam completion bash > ~/.local/share/bash-completion/completions/confam
  $ confam completion zsh > "\${fpath[1]}/_confam"
  $ confam completion fish > ~/.config/fish/completions/confam.fish`,
    )
    .action((shell: 'bash' | 'zsh' | 'fish') => {
      process.stdout.write(scripts[shell](nodesOf(command.parent!)));
    });
}

function nodesOf(program: Command, path = ''): Node[] {
  const commands = program.commands.filter((command) => command.name() !== 'help');
  const node: Node = {
    path,
    commands: commands.map((command) => ({ name: command.name(), description: command.description() })),
    flags: [
      ...program.options.filter(({ hidden }) => !hidden).map(flagOf),
      { names: ['--help'], description: 'show the help', choices: [], isSwitch: true },
    ],
    values: program.registeredArguments[0]?.argChoices ?? [],
  };
  return [node, ...commands.flatMap((command) => nodesOf(command, `${path} ${command.name()}`.trim()))];
}

const flagOf = (option: Option): Node['flags'][number] => ({
  names: [option.long, option.short].filter((name): name is string => Boolean(name)),
  description: option.description,
  choices: option.argChoices ?? [],
  isSwitch: !option.required && !option.optional,
});

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Lines of a `case`: what may follow a command, and the values of a flag. The same in bash and zsh. */
function tables(nodes: readonly Node[]): string {
  const words = nodes.map(({ path, commands, flags, values }) => {
    const all = [...commands.map(({ name }) => name), ...values, ...flags.map(({ names }) => names[0]!)];
    return `    ${quoted(path)}) echo ${quoted(all.join(' '))} ;;`;
  });
  const choices = nodes.flatMap(({ path, flags }) =>
    flags
      .filter((flag) => flag.choices.length > 0)
      .flatMap(({ names, choices }) => names.map((name) => `    ${quoted(`${path} ${name}`)}) echo ${quoted(choices.join(' '))} ;;`)),
  );
  const valued = nodes.flatMap(({ path, flags }) =>
    flags.filter(({ isSwitch }) => !isSwitch).flatMap(({ names }) => names.map((name) => quoted(`${path} ${name}`))),
  );
  const groups = nodes.map(({ path }) => quoted(path)).join('|');
  return `_confam_words() {
  case "$1" in
${words.join('\n')}
  esac
}
_confam_choices() {
  case "$1" in
${choices.join('\n')}
  esac
}
_confam_takes_value() {
  case "$1" in ${valued.join('|')}) return 0 ;; esac
  return 1
}
_confam_is_command() {
  case "$1" in ${groups}) return 0 ;; esac
  return 1
}
# The command that the words lead to: "batch submit".
_confam_place() {
  local place="" word skip=""
  for word in "$@"; do
    if [ -n "$skip" ]; then skip=""; continue; fi
    if _confam_takes_value "$place $word"; then skip=1; continue; fi
    if _confam_is_command "\${place:+$place }$word"; then place="\${place:+$place }$word"; fi
  done
  echo "$place"
}
`;
}

const bash = (nodes: readonly Node[]): string => `# bash completion of confam
${tables(nodes)}
_confam() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" place
  place="$(_confam_place "\${COMP_WORDS[@]:1:COMP_CWORD-1}")"
  if _confam_takes_value "$place $previous"; then
    COMPREPLY=($(compgen -W "$(_confam_choices "$place $previous")" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$(_confam_words "$place")" -- "$current"))
  fi
}
complete -o default -F _confam confam
`;

const zsh = (nodes: readonly Node[]): string => `#compdef confam
${tables(nodes)}
_confam() {
  local previous="\${words[CURRENT-1]}" place offered
  place="$(_confam_place "\${(@)words[2,CURRENT-1]}")"
  if _confam_takes_value "$place $previous"; then
    offered="$(_confam_choices "$place $previous")"
  else
    offered="$(_confam_words "$place")"
  fi
  [ -n "$offered" ] && compadd -- \${(s: :)offered}
  _files
}
if [ "$funcstack[1]" = "_confam" ]; then _confam "$@"; else compdef _confam confam; fi
`;

function fish(nodes: readonly Node[]): string {
  const lines = nodes.flatMap(({ path, commands, flags, values }) => {
    const at = `-n "__confam_at ${quoted(path)}"`;
    return [
      ...commands.map(({ name, description }) => `complete -c confam ${at} -f -a ${quoted(name)} -d ${quoted(description)}`),
      ...values.map((value) => `complete -c confam ${at} -f -a ${quoted(value)}`),
      ...flags.map(({ names, description, choices, isSwitch }) => {
        const short = names[1] ? ` -s ${names[1].slice(1)}` : '';
        const value = isSwitch ? '' : choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : ' -r';
        return `complete -c confam ${at} -l ${names[0]!.slice(2)}${short}${value} -d ${quoted(description)}`;
      }),
    ];
  });
  const places = nodes.map(({ path }) => quoted(path)).join(' ');
  return `# fish completion of confam
set -g __confam_places ${places}
function __confam_at
    set -l place ''
    for word in (commandline -opc)[2..-1]
        set -l next (string trim -- "$place $word")
        contains -- "$next" $__confam_places; and set place $next
    end
    test "$place" = "$argv[1]"
end
${lines.join('\n')}
`;
}

const scripts = { bash, zsh, fish } as const;
