// HTML from template literals: values are escaped unless they are HTML already.

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Html | readonly Html[] | undefined | false;

export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.reduce((text, part, at) => text + shown(values[at - 1]) + part));
}

export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

function shown(value: Value): string {
  if (value === undefined || value === false) {
    return '';
  }
  if (value instanceof Html) {
    return value.text;
  }
  return typeof value === 'object'
    ? value.map((entry) => entry.text).join('')
    : escaped(String(value));
}
