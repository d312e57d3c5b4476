// Checks that the regular expressions of the sources run in linear time, because super-linear
// backtracking lets a single request or file block a process. Expressions that the analyzer does
// not find linear are listed with the reason why they are fast enough: most of them read text of
// bounded length.
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { check as Check } from 'recheck';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
const FILES = ['areas', 'platform', 'providers', 'embed', 'main', 'clients'].map(
  (folder) => `${folder}/**/*.{ts,tsx}`,
);
/**
 * Reviewed expressions with reasons, by expression, or by file if all of its expressions read the
 * same text.
 */
const REVIEWED = join(ROOT, 'scripts/reviewed-regexps.json');
/**
 * Digests of expressions that were found to be linear, so that only new expressions take time.
 * `node scripts/check-regexps.ts --write` writes this file.
 */
const LINEAR = join(ROOT, 'scripts/linear-regexps.json');
const CACHE = join(ROOT, 'node_modules/.cache/regexps.json');
const TIMEOUT_MS = 3_000;
/** The number of concurrent analyses: while one waits for the analyzer, another is computed. */
const CONCURRENCY = 2;
/** Replaces a part of an expression that is known only at run time. */
const UNKNOWN_PART = 'x';

export interface RegExpLiteral {
  source: string;
  flags: string;
  /** `file:line` of its first use. */
  location: string;
}

/**
 * Returns every super-linear expression that is not listed as reviewed, and every listed entry with
 * an expression or file that no longer exists.
 */
export async function checkRegexps(): Promise<string[]> {
  const reviewedVerdicts = JSON.parse(readFileSync(REVIEWED, 'utf8')) as Record<string, string>;
  const isReviewed = ({ location, ...expression }: RegExpLiteral) =>
    literal(expression) in reviewedVerdicts || location.replace(/:\d+$/, '') in reviewedVerdicts;
  const expressions = globSync(FILES, { cwd: ROOT })
    .filter((file) => !/\.test\.tsx?$|(^|\/)(node_modules|dist)\//.test(file))
    .sort()
    .flatMap((file) => listRegExps(file, readFileSync(join(ROOT, file), 'utf8')));
  const uncheckedLiterals = expressions.filter((expression) => !isReviewed(expression));
  const unique = [
    ...new Map(uncheckedLiterals.map((finding) => [literal(finding), finding])).values(),
  ];
  const findings = await findSuperLinear(unique, readVerdicts());
  const usedKeys = expressions.flatMap(({ location, ...expression }) => [
    literal(expression),
    location.replace(/:\d+$/, ''),
  ]);
  return [
    ...findings.map(
      ({ expression, reason }) => `${expression.location} ${literal(expression)} ${reason}`,
    ),
    ...Object.keys(reviewedVerdicts)
      .filter((key) => !usedKeys.includes(key))
      .map((key) => `scripts/reviewed-regexps.json lists an unused expression: ${key}`),
  ];
}

/** Lists regular expression literals and `new RegExp(…)` calls of a file. */
export function listRegExps(file: string, text: string): RegExpLiteral[] {
  if (!/\/|RegExp/.test(text)) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const literals: RegExpLiteral[] = [];
  const visit = (node: ts.Node): void => {
    const positionOf = () =>
      `${file}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`;
    if (ts.isRegularExpressionLiteral(node)) {
      literals.push({ ...partsOf(node.text), location: positionOf() });
    } else if (
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      node.expression.getText(source) === 'RegExp'
    ) {
      const [pattern, flags] = node.arguments ?? [];
      const knownPattern = pattern && patternOf(pattern, source);
      if (knownPattern !== undefined) {
        const flagText = flags && ts.isStringLiteralLike(flags) ? flags.text : '';
        literals.push({ source: knownPattern, flags: flagText, location: positionOf() });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return literals;
}

/**
 * Returns the pattern that an argument of `RegExp` evaluates to; parts that are known only at run
 * time become one letter.
 */
function patternOf(node: ts.Expression, source: ts.SourceFile): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isRegularExpressionLiteral(node)) return partsOf(node.text).source;
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(
      (span) => (patternOf(span.expression, source) ?? UNKNOWN_PART) + span.literal.text,
    );
    return node.head.text + spans.join('');
  }
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText(source) === 'String.raw') {
    const { template } = node;
    if (ts.isNoSubstitutionTemplateLiteral(template)) return template.rawText ?? template.text;
    const spans = template.templateSpans.map(
      (span) =>
        (patternOf(span.expression, source) ?? UNKNOWN_PART) +
        (span.literal.rawText ?? span.literal.text),
    );
    return (template.head.rawText ?? template.head.text) + spans.join('');
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [patternOf(node.left, source), patternOf(node.right, source)];
    return (left ?? UNKNOWN_PART) + (right ?? UNKNOWN_PART);
  }
  if (ts.isPropertyAccessExpression(node) && node.name.text === 'source') {
    return patternOf(node.expression, source);
  }
  if (ts.isIdentifier(node)) {
    const constant = constantOf(node.text, source);
    return constant && patternOf(constant, source);
  }
  return undefined;
}

/** Returns the initializer of a constant at the top of the file. */
function constantOf(name: string, source: ts.SourceFile): ts.Expression | undefined {
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name: declared, initializer } of statement.declarationList.declarations) {
      if (ts.isIdentifier(declared) && declared.text === name) return initializer;
    }
  }
  return undefined;
}

function partsOf(text: string): { source: string; flags: string } {
  const end = text.lastIndexOf('/');
  return { source: text.slice(1, end), flags: text.slice(end + 1) };
}

const literal = ({ source, flags }: Omit<RegExpLiteral, 'location'>): string =>
  `/${source}/${flags}`;

/** Without a repetition of variable length, the work at each position has a constant bound. */
const isConstant = (source: string): boolean => !/[*+]|\{\d+,/.test(source);

/** Verdicts by the digest of an expression: empty when linear, otherwise the reason. */
type Verdicts = Record<string, string>;

/**
 * Returns the expressions that take super-linear time and those that cannot be analyzed. Caches new
 * verdicts.
 */
export async function findSuperLinear(
  expressions: RegExpLiteral[],
  knownVerdicts: Verdicts = {},
): Promise<{ expression: RegExpLiteral; reason: string }[]> {
  const verdicts: Verdicts = {};
  const pending = expressions.filter((expression) => !isConstant(expression.source));
  const analyze = async () => {
    for (let next = pending.shift(); next; next = pending.shift()) {
      const text = literal(next);
      verdicts[text] = knownVerdicts[digest(text)] ?? (await verdict(next));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, analyze));
  const entries = Object.entries(verdicts).map(([text, reason]) => [digest(text), reason]);
  if (entries.some(([key = '']) => !(key in knownVerdicts))) {
    writeCache({ ...knownVerdicts, ...Object.fromEntries(entries) });
  }
  return expressions
    .map((expression) => ({ expression, reason: verdicts[literal(expression)] ?? '' }))
    .filter(({ reason }) => reason !== '');
}

let analyzer: Promise<typeof Check> | undefined;

async function verdict({ source, flags }: RegExpLiteral): Promise<string> {
  analyzer ??= import('recheck').then((module) => module.check);
  const check = await analyzer;
  // The analyzer does not support the flags `d` and `v`; neither changes the time of the
  // expressions used here.
  const supportedFlags = flags.replace(/[dv]/g, '');
  const exact = await check(source, supportedFlags, { timeout: TIMEOUT_MS });
  // Large automata exceed the time limit, so they are attacked with generated inputs instead.
  const result =
    exact.status === 'unknown'
      ? await check(source, supportedFlags, { checker: 'fuzz', timeout: 5 * TIMEOUT_MS })
      : exact;
  if (result.status === 'safe') return '';
  if (result.status === 'unknown') return `cannot be analyzed (${result.error.kind}): simplify it.`;
  return `is ${result.complexity.summary}: ${result.attack.pattern.slice(0, 120)}`;
}

/** Returns the verdicts in the repository and from earlier local runs. */
function readVerdicts(): Verdicts {
  const linear = JSON.parse(readFileSync(LINEAR, 'utf8')) as string[];
  return { ...readCache(), ...Object.fromEntries(linear.map((key) => [key, ''])) };
}

function readCache(): Verdicts {
  try {
    const { version, verdicts } = JSON.parse(readFileSync(CACHE, 'utf8'));
    return version === cacheVersion() ? verdicts : {};
  } catch {
    return {};
  }
}

function writeCache(verdicts: Verdicts): void {
  mkdirSync(dirname(CACHE), { recursive: true });
  writeFileSync(CACHE, JSON.stringify({ version: cacheVersion(), verdicts }));
}

const digest = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 16);

const cacheVersion = (): string =>
  digest(readFileSync(join(ROOT, 'node_modules/recheck/package.json'), 'utf8'));

if (import.meta.main) {
  // `node scripts/check-regexps.ts '/[a-z]+$/'` analyzes one expression.
  const [text] = process.argv.slice(2);
  const isWriting = text === '--write';
  const reasons =
    text && !isWriting
      ? (await findSuperLinear([{ ...partsOf(text), location: '' }])).map(({ reason }) => reason)
      : await checkRegexps();
  if (isWriting) {
    const linear = Object.entries(readVerdicts()).filter(([, reason]) => reason === '');
    writeFileSync(LINEAR, `${JSON.stringify(linear.map(([key]) => key).sort(), null, 2)}\n`);
  }
  console.log(reasons.join('\n') || 'All regular expressions are linear.');
  process.exit(reasons.length > 0 ? 1 : 0);
}
