// Text on its way to a terminal that may hold a stranger's words: nothing in it that a terminal obeys.

/** Lines stay lines; every other character that does not show is written as its number. */
export function plain(text) {
  return text.replace(/[^\P{C}\n]|[\u2028\u2029]/gu, (character) => `\\u{${character.codePointAt(0).toString(16)}}`);
}
