// Words with merge tags as somebody reads them of whom nothing is known: the fallback, else the name of
// what is missing.
const TAG =
  /\{\{\s*([\w.]+)\s*(?:\|[^}]*?default:\s*(?:"([^"]*)"|'([^']*)'))?[^}]*\}\}|\{\$(\w+)\}/g;

export function withoutTags(words: string): string {
  return words.replace(
    TAG,
    (_, name?: string, quoted?: string, single?: string, old?: string) =>
      quoted ?? single ?? `[${name ?? old}]`,
  );
}
