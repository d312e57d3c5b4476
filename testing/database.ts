// A database of its own for each test file: a clone of the migrated template, made in about 0.1 s.
import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { onStatement } from '#platform/server/database.ts';
import { TEMPLATE } from './global-setup.ts';

/** One recorded statement, with the parameters of its first use. */
export interface Statement {
  sql: string;
  parameters: unknown[];
}

/** Its connection string; it is removed after the file's last test. */
export async function testDatabase(): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await maintain(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
  afterAll(() => maintain(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  recordStatements();
  const url = new URL(inject('databaseServer'));
  url.pathname = `/${name}`;
  return url.href;
}

async function maintain(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('databaseServer') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

let seen: Set<string> | undefined;

/** The shadow check explains each of them after the run. */
function recordStatements(): void {
  if (seen) return;
  const known = new Set<string>();
  seen = known;
  const file = join(
    inject('statementFolder'),
    `${process.pid}-${randomBytes(4).toString('hex')}.jsonl`,
  );
  onStatement((sql, parameters) => {
    if (known.has(sql)) return;
    known.add(sql);
    const statement: Statement = { sql, parameters: [...parameters] };
    appendFileSync(file, `${JSON.stringify(statement, asText)}\n`);
  });
}

function asText(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  // Buffer.toJSON has been here already: PostgreSQL reads this form as bytea.
  if (isBuffer(value)) return `\\x${Buffer.from(value.data).toString('hex')}`;
  return value;
}

function isBuffer(value: unknown): value is { type: 'Buffer'; data: number[] } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer';
}
