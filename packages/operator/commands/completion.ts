import { buildRouteMap } from "@stricli/core";
import { command } from "../command/command.ts";

const SCRIPTS = {
  bash: `_sabika() {
  local IFS=$'\\n'
  COMPREPLY=( $(sabika --complete "\${COMP_WORDS[@]:1:$COMP_CWORD}" 2>/dev/null) )
}
complete -o default -F _sabika sabika
`,
  zsh: `#compdef sabika
_sabika() {
  local -a proposals
  proposals=( \${(f)"$(sabika --complete "\${(@)words[2,$CURRENT]}" 2>/dev/null)"} )
  compadd -- $proposals || _files
}
compdef _sabika sabika
`,
  fish: `complete -c sabika -f -a '(sabika --complete (commandline -opc)[2..] (commandline -ct))'
`,
};

function script(shell: keyof typeof SCRIPTS, example: string) {
  return command<object, []>({
    brief: `Show the script for ${shell}`,
    examples: [example],
    run: () => Promise.resolve({ json: { shell, script: SCRIPTS[shell] }, text: SCRIPTS[shell] }),
  });
}

/** `sabika completion …` */
export const completion = buildRouteMap({
  docs: { brief: "Completion of commands and flags in a shell" },
  routes: {
    bash: script("bash", "completion bash > /etc/bash_completion.d/sabika"),
    zsh: script("zsh", "completion zsh > ~/.zfunc/_sabika"),
    fish: script("fish", "completion fish > ~/.config/fish/completions/sabika.fish"),
  },
});
