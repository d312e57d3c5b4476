// Classes for CSS rules that cannot be inline, such as those for narrow screens and dark mode.
// Identical rules share a class; names are short because Gmail clips large emails.

/** `{}` in the selector is replaced by the class: '{} div' selects all divs inside the element. */
type StyleRule = { selector: string; declarations: string };

export class StyleSheet {
  private readonly names = new Map<string, string>();
  private readonly base: string[] = [];
  private readonly mobile: string[] = [];
  private readonly dark: string[] = [];
  /** Rules for Outlook on the web, which changes colors itself and marks the changed elements. */
  private readonly outlook: string[] = [];

  /** Adds rules for all widths and returns their class. */
  addRules(...rules: StyleRule[]): string {
    return this.add('a', rules, (rule) => this.base.push(rule));
  }

  /** Adds rules for widths below MJML's breakpoint and returns their class. */
  addMobileRules(...rules: StyleRule[]): string {
    return this.add('m', rules, (rule) => this.mobile.push(rule));
  }

  addDarkColor(color: string, selector = '{}'): string {
    const rule = { selector, declarations: `color:${color}!important` };
    return this.add('c', [rule], (cssRule) => {
      this.dark.push(cssRule);
      this.outlook.push(prefixRule('[data-ogsc]', cssRule));
    });
  }

  addDarkBackground(color: string, selector = '{}'): string {
    const declarations = `background-color:${color}!important`;
    return this.add('g', [{ selector, declarations }], (cssRule) => {
      this.dark.push(cssRule);
      this.outlook.push(prefixRule('[data-ogsb]', cssRule));
    });
  }

  toCss(): string {
    const parts = [this.base.join('\n')];
    if (this.mobile.length > 0) {
      parts.push(`@media only screen and (max-width:479px){\n${this.mobile.join('\n')}\n}`);
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

  private add(kind: string, rules: readonly StyleRule[], addRule: (rule: string) => void): string {
    const key = kind + JSON.stringify(rules);
    const existing = this.names.get(key);
    if (existing !== undefined) return existing;
    const name = `${kind}${this.names.size}`;
    this.names.set(key, name);
    for (const { selector, declarations } of rules) {
      addRule(`${selector.replaceAll('{}', `.${name}`)}{${declarations}}`);
    }
    return name;
  }
}

function prefixRule(prefix: string, rule: string): string {
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
