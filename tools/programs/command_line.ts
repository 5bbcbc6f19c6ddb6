/**
 * Returns the words of a command line. The text is divided at blanks and line ends; a value is not divided,
 * and an array's values become one word each: commandLine`create --name ${"Bank One"}`.
 */
export function commandLine(
  texts: TemplateStringsArray,
  ...values: readonly (string | readonly string[])[]
): string[] {
  const words: string[] = [];
  let isOpen = false;
  const add = (part: string) => {
    if (isOpen) words.push(words.pop()! + part);
    else words.push(part);
    isOpen = true;
  };
  texts.forEach((text, n) => {
    text.split(/\s+/).forEach((part, at) => {
      isOpen &&= at === 0;
      if (part !== "") add(part);
    });
    const value = values[n] ?? [];
    if (typeof value === "string") return add(value);
    words.push(...value);
    isOpen = false;
  });
  return words;
}
