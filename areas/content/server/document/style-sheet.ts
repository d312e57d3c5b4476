// Classes for CSS rules that cannot be inline, such as those for narrow screens and dark mode.
// Identical rules share a class; names are short because Gmail clips large emails.

/** `{}` in the selector is replaced by the class: '{} div' selects all divs inside the element. */
type StyleRule = { selector: string; declarations: string };

export class StyleSheet {
  private readonly names = new Map<string, string>();
  private readonly base: string[] = [];
  private readonly narrow: string[] = [];
  private readonly dark: string[] = [];
  /** Rules for Outlook on the web, which changes colors itself and marks the changed elements. */
  private readonly outlook: string[] = [];

  /** Adds rules for all widths and returns their class. */
  always(...rules: StyleRule[]): string {
    return this.add('a', rules, (written) => this.base.push(written));
  }

  /** Adds rules for widths below MJML's breakpoint and returns their class. */
  mobile(...rules: StyleRule[]): string {
    return this.add('m', rules, (written) => this.narrow.push(written));
  }

  darkColor(color: string, selector = '{}'): string {
    const rule = { selector, declarations: `color:${color}!important` };
    return this.add('c', [rule], (written) => {
      this.dark.push(written);
      this.outlook.push(prefixed('[data-ogsc]', written));
    });
  }

  darkGround(color: string, selector = '{}'): string {
    const declarations = `background-color:${color}!important`;
    return this.add('g', [{ selector, declarations }], (written) => {
      this.dark.push(written);
      this.outlook.push(prefixed('[data-ogsb]', written));
    });
  }

  write(): string {
    const parts = [this.base.join('\n')];
    if (this.narrow.length > 0) {
      parts.push(`@media only screen and (max-width:479px){\n${this.narrow.join('\n')}\n}`);
    }
    if (this.dark.length > 0) {
      parts.push(`@media (prefers-color-scheme:dark){\n${this.dark.join('\n')}\n}`);
      parts.push(this.outlook.join('\n'));
    }
    return parts.filter(Boolean).join('\n');
  }

  get hasDark(): boolean {
    return this.dark.length > 0;
  }

  private add(
    kind: string,
    rules: readonly StyleRule[],
    onWrite: (written: string) => void,
  ): string {
    const key = kind + JSON.stringify(rules);
    const known = this.names.get(key);
    if (known !== undefined) return known;
    const name = `${kind}${this.names.size}`;
    this.names.set(key, name);
    for (const { selector, declarations } of rules) {
      onWrite(`${selector.replaceAll('{}', `.${name}`)}{${declarations}}`);
    }
    return name;
  }
}

function prefixed(prefix: string, rule: string): string {
  const [selectors = '', rest = ''] = rule.split(/(?=\{)/);
  return `${selectors
    .split(',')
    .map((selector) => `${prefix} ${selector.trim()}`)
    .join(',')}${rest}`;
}

/** Joins class names for a class attribute. */
export function joinClasses(...names: (string | undefined | false)[]): string | undefined {
  return names.filter(Boolean).join(' ') || undefined;
}
