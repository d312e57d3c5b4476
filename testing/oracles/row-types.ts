// Reads the row types declared at sql<Row>`…` from the sources, using the compiler.
import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');
const FILES = ['areas/*/server/**/*.ts', 'platform/server/**/*.ts', 'main/**/*.ts'];

export interface DeclaredColumn {
  name: string;
  /** `number`, `string`, `boolean`, `Date`, `Buffer`, `object`, `any`; arrays end with `[]`. */
  kinds: string[];
  isNullable: boolean;
}

export interface DeclaredRow {
  /** `areas/groups/server/groups.sql.ts:31` */
  location: string;
  /** The text between the template's values, which identifies its statements. */
  texts: string[];
  columns: DeclaredColumn[];
}

/** Returns all templates of the product that have a row type. */
export function listDeclaredRows(): DeclaredRow[] {
  const files = FILES.flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
    .filter((file) => !/\.test\.ts$/.test(file))
    .map((file) => join(ROOT, file));
  return listRowTypes(files);
}

/**
 * Returns the templates of these files with an object type as row type; others, such as type
 * parameters and single values, are ignored.
 */
export function listRowTypes(files: readonly string[]): DeclaredRow[] {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path)).config,
    { ...ts.sys, readDirectory: () => [] },
    ROOT,
  );
  const queries = files.filter((file) => /\bsql</.test(ts.sys.readFile(file) ?? ''));
  const program = ts.createProgram(queries, options);
  const checker = program.getTypeChecker();
  return queries.flatMap((file) => {
    const source = program.getSourceFile(file);
    return source ? templatesOf(source, checker) : [];
  });
}

function templatesOf(source: ts.SourceFile, checker: ts.TypeChecker): DeclaredRow[] {
  const rows: DeclaredRow[] = [];
  const visit = (node: ts.Node): void => {
    const [rowType] = (ts.isTaggedTemplateExpression(node) && node.typeArguments) || [];
    if (rowType && ts.isTaggedTemplateExpression(node) && node.tag.getText(source) === 'sql') {
      const columns = columnsOf(checker.getTypeFromTypeNode(rowType), node, checker);
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      const location = `${relative(ROOT, source.fileName)}:${line}`;
      if (columns.length > 0) rows.push({ location, texts: textsOf(node.template), columns });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return rows;
}

function textsOf(template: ts.TemplateLiteral): string[] {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return [template.text];
  return [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)];
}

function columnsOf(row: ts.Type, node: ts.Node, checker: ts.TypeChecker): DeclaredColumn[] {
  const isRow =
    (row.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0 &&
    !checker.isArrayType(row) &&
    !isNamed(row, 'Date') &&
    !isNamed(row, 'Buffer');
  if (!isRow) return [];
  return checker.getPropertiesOfType(row).flatMap((property) => {
    // Only some statements that use the type select such a column.
    if (property.flags & ts.SymbolFlags.Optional) return [];
    const type = checker.getTypeOfSymbolAtLocation(property, node);
    const memberTypes = type.isUnion() ? type.types : [type];
    const nullishFlags = ts.TypeFlags.Null | ts.TypeFlags.Undefined;
    const values = memberTypes.filter((memberType) => (memberType.flags & nullishFlags) === 0);
    const kinds = [...new Set(values.map((memberType) => kindOf(memberType, checker)))];
    const isNullable = values.length < memberTypes.length || kinds.includes('any');
    return [{ name: property.name, kinds, isNullable }];
  });
}

function kindOf(type: ts.Type, checker: ts.TypeChecker): string {
  const { flags } = type;
  if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.TypeParameter)) return 'any';
  // The type may be a branded string or number.
  if (type.isIntersection()) {
    const kinds = type.types.map((memberType) => kindOf(memberType, checker));
    return kinds.find((kind) => kind !== 'object') ?? 'object';
  }
  if (flags & ts.TypeFlags.NumberLike) return 'number';
  if (flags & ts.TypeFlags.StringLike) return 'string';
  if (flags & ts.TypeFlags.BooleanLike) return 'boolean';
  if (checker.isArrayType(type)) return `${itemKind(type, checker)}[]`;
  if (isNamed(type, 'Date')) return 'Date';
  // LeadId is a number with its own type.
  if (isNamed(type, 'LeadId')) return 'number';
  return isNamed(type, 'Buffer') ? 'Buffer' : 'object';
}

/**
 * Returns the kind of an array's items. JSON types may contain themselves, so an array within an
 * array is treated as an object.
 */
function itemKind(array: ts.Type, checker: ts.TypeChecker): string {
  const [item] = checker.getTypeArguments(array as ts.TypeReference);
  const kinds = (item?.isUnion() ? item.types : item ? [item] : [])
    .filter((memberType) => (memberType.flags & ts.TypeFlags.Null) === 0)
    .map((memberType) =>
      checker.isArrayType(memberType) ? 'object' : kindOf(memberType, checker),
    );
  const [kind = 'any', ...furtherKinds] = new Set(kinds);
  return furtherKinds.length === 0 ? kind : 'any';
}

function isNamed(type: ts.Type, name: string): boolean {
  return type.symbol?.name === name;
}
