// Requests that follow a call's schema, or violate it deliberately, with ids from earlier
// responses.
import fc from 'fast-check';
import type { Operation } from './operations.ts';
import { nasty, type Schema, valueOf } from './values.ts';

export type Request = {
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
  key?: string | undefined;
};

/** A well-formed id of no resource. */
const NOBODYS = 'R8z6N1t';
const MAX_KEPT = 20;
const DEEPEST = 4;

/** The client API and the public API name the same resources. */
const resourceOf = (path: string) => path.split('/')[isPublic(path) ? 2 : 3] ?? '';

/** Calls of the public API need a token instead of a session. */
export const isPublic = (path: string) => path.startsWith('/v2/');

/** Ids from responses, by their resource. */
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
        this.ids.set(resource, [...(this.ids.get(resource) ?? []), one].slice(-MAX_KEPT));
      } else this.collect(path, one, depth + 1);
    }
  }

  /** Ids of the path's resource, newest first. */
  of(path: string): readonly string[] {
    return (this.ids.get(resourceOf(path)) ?? []).toReversed();
  }

  /** Mostly ids of the path's own resource, occasionally of another. */
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
  const placed = (place: string) => parameters.filter((parameter) => parameter.in === place);
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
