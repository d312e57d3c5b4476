// Finds the strings that a source file uses, and the literal text that it should not contain.
import ts from 'typescript';

export interface TextUsage {
  file: string;
  /** Keys used by name, each with the catalogs that may contain it. */
  requested: { line: number; areas: string[]; key: string }[];
  /** Patterns of keys that templates build (`status.${name}`). */
  patterns: RegExp[];
  /** All string literals, because a key may be stored in a table before its use. */
  literals: string[];
  /** Property names, because contracts declare error codes as properties. */
  names: string[];
  /** Codes of thrown errors. */
  codes: { line: number; code: string }[];
  /** Paths of its static and dynamic imports as written, without type imports. */
  imports: string[];
  /** Catalogs that it uses by `useTexts('groups')`, or by keys such as `groups:list.title`. */
  catalogs: string[];
  /** The `texts` of an area's routes. */
  texts: string[];
  /** Catalogs that it loads for its imports: `areaTexts(['experiments'])`. */
  loads: string[];
}

const TEXT_ATTRIBUTES = new Set([
  'label',
  'title',
  'placeholder',
  'aria-label',
  'alt',
  'description',
]);
/** Names that are the same in every language. */
const NAMES = new Set(['Sendloom', 'CSV', 'XLSX', 'HTML', 'URL', 'K']);

export function readUsage(file: string, text: string): TextUsage {
  const source = parse(file, text);
  const usage: TextUsage = {
    file,
    requested: [],
    patterns: [],
    literals: [],
    names: [],
    codes: [],
    imports: [],
    catalogs: [],
    texts: [],
    loads: [],
  };
  const bound = boundAreas(source, file);
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) usage.literals.push(node.text);
    usage.imports.push(...importOf(node));
    usage.catalogs.push(...catalogOf(node, source));
    usage.loads.push(...loadedBy(node, source));
    if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name)) {
      usage.names.push(node.name.text);
      if (node.name.text === 'texts') usage.texts.push(...stringsOf(node.initializer));
    }
    if (ts.isTemplateExpression(node)) usage.patterns.push(...patternOf(node));
    if (ts.isNewExpression(node) && node.expression.getText(source) === 'AppError') {
      const code = node.arguments?.[0];
      if (code && ts.isStringLiteralLike(code)) {
        usage.codes.push({ line: lineOf(source, node), code: code.text });
      }
    }
    const areas = areasOfCall(node, source, bound);
    if (areas) {
      for (const key of keysOf((node as ts.CallExpression).arguments[0])) {
        const [first = '', second] = key.split(':');
        const line = lineOf(source, node);
        if (second !== undefined) usage.requested.push({ line, areas: [first], key: second });
        else if (areas.length > 0) usage.requested.push({ line, areas, key });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return usage;
}

const stringsOf = (list: ts.Node): string[] =>
  ts.isArrayLiteralExpression(list)
    ? list.elements.flatMap((element) => (ts.isStringLiteralLike(element) ? [element.text] : []))
    : [];

function importOf(node: ts.Node): string[] {
  if (ts.isImportDeclaration(node)) {
    return node.importClause?.isTypeOnly ? [] : [(node.moduleSpecifier as ts.StringLiteral).text];
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier && !node.isTypeOnly) {
    return [(node.moduleSpecifier as ts.StringLiteral).text];
  }
  if (!ts.isCallExpression(node) || node.expression.kind !== ts.SyntaxKind.ImportKeyword) return [];
  const [path] = node.arguments;
  return path && ts.isStringLiteralLike(path) ? [path.text] : [];
}

function loadedBy(node: ts.Node, source: ts.SourceFile): string[] {
  if (!ts.isCallExpression(node) || node.expression.getText(source) !== 'areaTexts') return [];
  const [names] = node.arguments;
  return names ? stringsOf(names) : [];
}

function catalogOf(node: ts.Node, source: ts.SourceFile): string[] {
  if (ts.isCallExpression(node) && node.expression.getText(source) === 'useTexts') {
    const [name] = node.arguments;
    return name && ts.isStringLiteralLike(name) ? [name.text] : [];
  }
  const text = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) ? node.text : '';
  const [, name] = /^([a-z.]+):\w/.exec(text) ?? [];
  return name ? [name] : [];
}

/**
 * Returns the names and catalogs of translation functions (`const t = useTexts('groups')`, or
 * parameters of type Texts).
 */
function boundAreas(source: ts.SourceFile, file: string): Map<string, string[]> {
  const bound = new Map<string, string[]>();
  const ownArea = /^areas\/([^/]+)\//.exec(file)?.[1];
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.initializer && ts.isIdentifier(node.name)) {
      const call = node.initializer;
      if (ts.isCallExpression(call) && call.expression.getText(source) === 'useTexts') {
        const area = call.arguments[0];
        if (area && ts.isStringLiteralLike(area)) {
          bound.set(node.name.text, [...(bound.get(node.name.text) ?? []), area.text]);
        }
      }
    }
    if (ts.isParameter(node) && node.type?.getText(source) === 'Texts') {
      const name = node.name.getText(source);
      bound.set(name, [
        ...(bound.get(name) ?? []),
        ...(ownArea ? [ownArea, 'platform'] : ['platform']),
      ]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return bound;
}

/** Returns the catalogs that a call reads, or undefined for another kind of call. */
function areasOfCall(
  node: ts.Node,
  source: ts.SourceFile,
  bound: Map<string, string[]>,
): string[] | undefined {
  if (!ts.isCallExpression(node)) return undefined;
  const name = node.expression.getText(source);
  // Outside components: text('platform:errors.generic'). Other functions named `text` take no key.
  return name === 'text' ? [] : bound.get(name);
}

/** Returns the possible keys of an argument: a string, or both results of a condition. */
function keysOf(argument: ts.Node | undefined): string[] {
  if (!argument) return [];
  if (ts.isStringLiteralLike(argument)) return argument.text === '' ? [] : [argument.text];
  if (ts.isConditionalExpression(argument)) {
    return [...keysOf(argument.whenTrue), ...keysOf(argument.whenFalse)];
  }
  if (ts.isParenthesizedExpression(argument)) return keysOf(argument.expression);
  return [];
}

/**
 * Converts `status.${name}` to ^status\..+$; a template that has no fixed part of a key at its
 * start or end matches nothing.
 */
function patternOf(template: ts.TemplateExpression): RegExp[] {
  const fragments = [
    template.head.text,
    ...template.templateSpans.map(({ literal }) => literal.text),
  ];
  if (!/^[\w:]+[.:]|[.]\w+$/.test(fragments.join('x')) || /[^\w.:]/.test(fragments.join('')))
    return [];
  return [
    new RegExp(`^${fragments.map((fragment) => fragment.replaceAll('.', '\\.')).join('.+')}$`),
  ];
}

/** Returns literal text in a screen's code that belongs in locales/. */
export function findLiteralViolations(file: string, text: string): string[] {
  if (!file.endsWith('.tsx')) return [];
  const source = parse(file, text);
  const violations: string[] = [];
  const visit = (node: ts.Node): void => {
    const phrase = textOf(node, source);
    if (phrase !== undefined && isProse(phrase)) {
      violations.push(`${file}:${lineOf(source, node)} '${phrase.trim()}' belongs in locales/.`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return violations;
}

function textOf(node: ts.Node, source: ts.SourceFile): string | undefined {
  if (ts.isJsxText(node)) return node.text;
  if (ts.isJsxExpression(node) && node.expression && ts.isStringLiteralLike(node.expression)) {
    return ts.isJsxAttribute(node.parent) ? undefined : node.expression.text;
  }
  if (!ts.isJsxAttribute(node) || !TEXT_ATTRIBUTES.has(node.name.getText(source))) return undefined;
  const value = node.initializer;
  if (value && ts.isStringLiteral(value)) return value.text;
  const expression = value && ts.isJsxExpression(value) ? value.expression : undefined;
  return expression && ts.isStringLiteralLike(expression) ? expression.text : undefined;
}

function isProse(text: string): boolean {
  // Sample input: rows of a list, an email address or a URL.
  if (/\w@\w/.test(text) || /^(https?:\/\/)?[\w-]+(\.[\w-]+)+\S*$/.test(text.trim())) return false;
  return (text.match(/\p{L}+/gu) ?? []).some((word) => !NAMES.has(word));
}

function parse(file: string, text: string): ts.SourceFile {
  const scriptKind = file.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, scriptKind);
}

function lineOf(source: ts.SourceFile, node: ts.Node): number {
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
}
