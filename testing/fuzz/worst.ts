// The worst that a contract allows: each text, list and object as long as it may be, up to what a body may hold.
import type { Operation } from './operations.ts';
import type { Schema } from './values.ts';

const BODY_BYTES = 1_000_000;
const QUERY_BYTES = 6_000;
/** What readers of HTML, of merge tags and of filters have most to do with. */
const WEAVE = '<a href="https://shop.example/x">{{ "now" | date: "%B%A" }}</a>';

export function worstOf({ path, parameters, body }: Operation): {
  url: string;
  body: string | undefined;
} {
  const query = new URLSearchParams();
  let left = QUERY_BYTES;
  for (const one of parameters) {
    if (one.in !== 'query') continue;
    const value = String(worst(one.schema, Math.min(left, 3_000))).slice(0, left);
    left -= value.length;
    query.set(one.name, value);
  }
  const url = path.replace(/\{\w+\}/g, 'R8z6N1t');
  const text = query.size > 0 ? `${url}?${query}` : url;
  if (!body) return { url: text, body: undefined };
  for (let room = BODY_BYTES; room > 100; room /= 2) {
    const written = JSON.stringify(worst(body, room));
    if (written.length <= BODY_BYTES) return { url: text, body: written };
  }
  return { url: text, body: '{}' };
}

function worst(schema: Schema, room: number, depth = 0): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice) return depth > 8 ? null : worst(choice, room, depth + 1);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'string':
      return textOf(schema, room);
    case 'integer':
    case 'number':
      return Math.min(schema.maximum ?? 1_000, 1_000_000);
    case 'boolean':
      return true;
    case 'array': {
      const one = worst(schema.items ?? {}, Math.min(room, 200), depth + 1);
      const each = (JSON.stringify(one)?.length ?? 4) + 1;
      const most = Math.max(schema.minItems ?? 0, Math.floor(room / each));
      return Array(Math.min(schema.maxItems ?? most, most)).fill(one);
    }
    case 'object': {
      const properties = Object.entries(schema.properties ?? {});
      const share = room / Math.max(1, properties.length);
      return Object.fromEntries(
        properties.map(([name, one]) => [name, depth > 8 ? null : worst(one, share, depth + 1)]),
      );
    }
    default:
      return null;
  }
}

function textOf({ format, maxLength, minLength = 0 }: Schema, room: number): string {
  if (format === 'email') return 'somebody@shop.example';
  if (format === 'uri') return 'https://shop.example/';
  if (format === 'date') return '2100-12-31';
  if (format === 'date-time') return '2100-12-31T00:00:00Z';
  const length = Math.max(minLength, Math.min(maxLength ?? room, room));
  return WEAVE.repeat(Math.ceil(length / WEAVE.length)).slice(0, Math.floor(length));
}
