// Creates requests that follow a call's schema, or violate it deliberately, with IDs from earlier
// responses.
import fc from 'fast-check';
import type { ApiOperation } from './operations.ts';
import { nasty, type ValueSchema, sampleValue } from './values.ts';

export type FuzzRequest = {
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
  key?: string | undefined;
};

/** A well-formed ID that no resource has. */
const UNUSED_ID = 'R8z6N1t';
const MAX_IDS = 20;
const MAX_DEPTH = 4;

/** Returns the resource in a path; the name is the same in the client API and the public API. */
const resourceOf = (path: string) => path.split('/')[isPublic(path) ? 2 : 3] ?? '';

/** Returns whether the call is of the public API, which needs a token instead of a session. */
export const isPublic = (path: string) => path.startsWith('/v2/');

/** IDs from responses, by resource. */
export class SeenIds {
  private readonly ids = new Map<string, string[]>();

  clear(): void {
    this.ids.clear();
  }

  collect(path: string, value: unknown, depth = 0): void {
    if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return;
    for (const [name, property] of Object.entries(value)) {
      if (name === 'id' && typeof property === 'string') {
        const resource = resourceOf(path);
        this.ids.set(resource, [...(this.ids.get(resource) ?? []), property].slice(-MAX_IDS));
      } else this.collect(path, property, depth + 1);
    }
  }

  /** Returns IDs of the path's resource, newest first. */
  listIds(path: string): readonly string[] {
    return (this.ids.get(resourceOf(path)) ?? []).toReversed();
  }

  /** Generates IDs, mostly of the path's own resource and occasionally of another resource. */
  generateId(path: string): fc.Arbitrary<string> {
    const oneOf = (ids: readonly string[]) =>
      fc.constantFrom(...(ids.length > 0 ? ids : [UNUSED_ID]));
    const allIds = [...this.ids.values()].flat();
    return fc.oneof(
      { weight: 5, arbitrary: oneOf(this.listIds(path)) },
      { weight: 2, arbitrary: oneOf(allIds) },
    );
  }
}

export function sampleRequest(
  operation: ApiOperation,
  seenIds: SeenIds,
  { isWild, seed }: { isWild: boolean; seed: number },
): FuzzRequest {
  const [request] = fc.sample(requestsOf(operation, seenIds, isWild), { seed, numRuns: 1 });
  return request as FuzzRequest;
}

export function buildUrl(path: string, params: Record<string, string>): string {
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent((params[name] ?? UNUSED_ID).slice(0, 300).toWellFormed()),
  );
  return url === '' ? '/' : url;
}

function requestsOf({ path, parameters, body }: ApiOperation, seenIds: SeenIds, isWild: boolean) {
  const ids = seenIds.generateId(path);
  const settings = { ids, isWild };
  const text = (schema: ValueSchema) =>
    sampleValue(schema, settings).map((value) =>
      (typeof value === 'object' ? JSON.stringify(value) : String(value)).toWellFormed(),
    );
  const parametersIn = (location: string) =>
    parameters.filter((parameter) => parameter.in === location);
  const inPath = Object.fromEntries(
    parametersIn('path').map(({ name }) => [
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
    Object.fromEntries(parametersIn('query').map(({ name, schema }) => [name, text(schema)])),
    {
      requiredKeys: parametersIn('query')
        .filter(({ required }) => required)
        .map(({ name }) => name),
    },
  );
  const key = fc.option(fc.constantFrom('a', 'b', 'x'.repeat(300)), { nil: undefined, freq: 4 });
  return fc.record({
    params: fc.record(inPath),
    query,
    body: body ? sampleValue(body, settings) : fc.constant(undefined),
    key: parametersIn('header').length > 0 ? key : fc.constant(undefined),
  });
}
