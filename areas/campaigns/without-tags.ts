// Words with merge tags as somebody reads them of whom nothing is known: the fallback, else the name of
// what is missing.
const TAG = /\{\{\s*([\w.]+)(?![\w.])([^{}]*)\}\}|\{\$(\w+)\}/g;
const DEFAULT = /\|[^|]*?default:\s*(?:"([^"]*)"|'([^']*)')/;

export function withoutTags(words: string): string {
  return words.replace(
    TAG,
    (_, name: string | undefined, rest: string | undefined, old: string | undefined) => {
      const [, double, single] = DEFAULT.exec(rest ?? '') ?? [];
      return double ?? single ?? `[${name ?? old}]`;
    },
  );
}
