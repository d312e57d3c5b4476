// HTML from template literals: values are escaped unless they are HTML already.

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type HtmlValue = string | number | Html | readonly Html[] | undefined | false;

export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(
    strings.reduce((text, literal, index) => text + renderValue(values[index - 1]) + literal),
  );
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

function renderValue(value: HtmlValue): string {
  if (value === undefined || value === false) {
    return '';
  }
  if (value instanceof Html) {
    return value.text;
  }
  return typeof value === 'object'
    ? value.map((entry) => entry.text).join('')
    : escapeHtml(String(value));
}
