// Splits SQL files into statements: a cluster forwards the original text of each schema change to
// its nodes.

/**
 * Matches comments, strings, names and dollar quotes, where a semicolon does not end a statement,
 * and the text between them.
 */
const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[\s\S]*?\1|;|[^;'"$\-/]+|[\s\S]/g;

/** Returns the statements in order, without comments between words and without empty statements. */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let statement = '';
  for (const [piece] of sql.matchAll(TOKEN)) {
    if (piece.startsWith('--') || piece.startsWith('/*')) continue;
    if (piece === ';') {
      statements.push(statement.trim());
      statement = '';
    } else statement += piece;
  }
  return [...statements, statement.trim()].filter((text) => text !== '');
}
