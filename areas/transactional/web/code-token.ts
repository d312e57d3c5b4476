// Inserts a token into the code samples, instead of the environment variable that they read.

/** The code that reads the token in Node.js, PHP, Python and the shell, and what replaces it. */
const READS: [string, (token: string) => string][] = [
  ['${process.env.SENDLOOM_TOKEN}', (token) => token],
  ["' . getenv('SENDLOOM_TOKEN')", (token) => `${token}'`],
  ['" + os.environ["SENDLOOM_TOKEN"]', (token) => `${token}"`],
  ['$SENDLOOM_TOKEN', (token) => token],
];

export function insertToken(code: string, token: string): string {
  return READS.reduce(
    (text, [read, replacement]) => text.replaceAll(read, replacement(token)),
    code,
  );
}
