// Requests that follow a call's description, or break it on purpose, with ids that answers before them named.
import fc from 'fast-check';
import type { Operation } from './operations.ts';
import { nasty, type Schema, valueOf } from './values.ts';

export type Request = {
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
  key?: string | undefined;
};

/** An id as they look, of nothing. */
const NOBODYS = 'R8z6N1t';
const KEPT_MOST = 20;
const DEEPEST = 4;

/** The screens' calls and the public API name the same things. */
const resourceOf = (path: string) => path.split('/')[isPublic(path) ? 2 : 3] ?? '';

/** Of the public API: a token opens it, no session. */
export const isPublic = (path: string) => path.startsWith('/v2/');

/** Ids that answers named, by the resource that they came from. */
export class SeenIds {
  private readonly ids = new Map<string, string[]>();

  clear(): void {
    this.ids.clear();
  }

  collect(path: string, value: unknown, depth = 0): void {
    if (depth > DEEPEST || typeof value !== 'object' || value === null) return;
    for (const [name, one] of Object.entries(value)) {
      if (name === 'id' && typeof one === 'string') {
        const resource = resourceOf(path);
        this.ids.set(resource, [...(this.ids.get(resource) ?? []), one].slice(-KEPT_MOST));
      } else this.collect(path, one, depth + 1);
    }
  }

  /** Of the resource that the path leads to, the newest first. */
  of(path: string): readonly string[] {
    return (this.ids.get(resourceOf(path)) ?? []).toReversed();
  }

  /** Mostly of the path's own resource, now and then another's. */
  for(path: string): fc.Arbitrary<string> {
    const some = (ids: readonly string[]) => fc.constantFrom(...(ids.length > 0 ? ids : [NOBODYS]));
    const others = [...this.ids.values()].flat();
    return fc.oneof(
      { weight: 5, arbitrary: some(this.of(path)) },
      { weight: 2, arbitrary: some(others) },
    );
  }
}

export function sampleOf(
  operation: Operation,
  seen: SeenIds,
  { isWild, seed }: { isWild: boolean; seed: number },
): Request {
  const [one] = fc.sample(requestsOf(operation, seen, isWild), { seed, numRuns: 1 });
  return one as Request;
}

export function addressOf(path: string, params: Record<string, string>): string {
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent((params[name] ?? NOBODYS).slice(0, 300).toWellFormed()),
  );
  return url === '' ? '/' : url;
}

function requestsOf({ path, parameters, body }: Operation, seen: SeenIds, isWild: boolean) {
  const ids = seen.for(path);
  const making = { ids, isWild };
  const text = (schema: Schema) =>
    valueOf(schema, making).map((value) =>
      (typeof value === 'object' ? JSON.stringify(value) : String(value)).toWellFormed(),
    );
  const placed = (place: string) => parameters.filter((one) => one.in === place);
  const inPath = Object.fromEntries(
    placed('path').map(({ name }) => [
      name,
      fc.oneof(
        { weight: 6, arbitrary: ids },
        {
          weight: 1,
          arbitrary: nasty.map((value) => String(JSON.stringify(value)).toWellFormed()),
        },
      ),
    ]),
  );
  const query = fc.record(
    Object.fromEntries(placed('query').map(({ name, schema }) => [name, text(schema)])),
    {
      requiredKeys: placed('query')
        .filter(({ required }) => required)
        .map(({ name }) => name),
    },
  );
  const key = fc.option(fc.constantFrom('a', 'b', 'x'.repeat(300)), { nil: undefined, freq: 4 });
  return fc.record({
    params: fc.record(inPath),
    query,
    body: body ? valueOf(body, making) : fc.constant(undefined),
    key: placed('header').length > 0 ? key : fc.constant(undefined),
  });
}
