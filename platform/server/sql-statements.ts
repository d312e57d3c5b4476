// A file of SQL in its statements: a cluster hands each change of the schema on to its nodes by the text it came in.

/** Comments, texts, names and dollar quotes, in which a semicolon ends nothing; and the rest, piece by piece. */
const PIECE =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[\s\S]*?\1|;|[^;'"$\-/]+|[\s\S]/g;

/** In their order, without the comments between their words and without empty ones. */
export function statementsOf(sql: string): string[] {
  const statements: string[] = [];
  let statement = '';
  for (const [piece] of sql.matchAll(PIECE)) {
    if (piece.startsWith('--') || piece.startsWith('/*')) continue;
    if (piece === ';') {
      statements.push(statement.trim());
      statement = '';
    } else statement += piece;
  }
  return [...statements, statement.trim()].filter((text) => text !== '');
}
