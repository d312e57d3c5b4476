// Merge tags as an unknown reader sees them: the fallback, otherwise the field name.
const TAG = /\{\{\s*([\w.]+)(?![\w.])([^{}]*)\}\}|\{\$(\w+)\}/g;
const DEFAULT = /\|[^|]*?(?:default|fallback):\s*(?:"([^"]*)"|'([^']*)')/;

export function withoutTags(text: string): string {
  return text.replace(
    TAG,
    (_, name: string | undefined, rest: string | undefined, old: string | undefined) => {
      const [, double, single] = DEFAULT.exec(rest ?? '') ?? [];
      return double ?? single ?? `[${name ?? old}]`;
    },
  );
}
