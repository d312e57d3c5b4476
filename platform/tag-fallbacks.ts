// Merge tags as an unknown reader sees them: the fallback, otherwise the field name.
const TAG = /\{\{\s*([\w.]+)(?![\w.])([^{}]*)\}\}|\{\$(\w+)\}/g;
const DEFAULT = /\|[^|]*?(?:default|fallback):\s*(?:"([^"]*)"|'([^']*)')/;

export function replaceTags(text: string): string {
  return text.replace(
    TAG,
    (_, name: string | undefined, filters: string | undefined, formerName: string | undefined) => {
      const [, double, single] = DEFAULT.exec(filters ?? '') ?? [];
      return double ?? single ?? `[${name ?? formerName}]`;
    },
  );
}
