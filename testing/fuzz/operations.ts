// The operations of the API description, for tests that generate calls.
import { buildOpenApi } from '#platform/server/http/openapi.ts';
import type { Route } from '#platform/server/http/serve.ts';
import type { ValueSchema } from './values.ts';

export type ApiOperation = {
  method: string;
  path: string;
  parameters: { name: string; in: string; required: boolean; schema: ValueSchema }[];
  body: ValueSchema | undefined;
  statuses: Set<number>;
};

export function listOperations(routes: readonly Route[]): ApiOperation[] {
  const { paths } = buildOpenApi(routes, []) as {
    paths: Record<string, Record<string, Record<string, unknown>>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => /^(?:get|put|post|patch|delete)$/.test(method))
      .map(([method, { parameters, requestBody, responses }]) => ({
        method: method.toUpperCase(),
        path,
        parameters: (parameters ?? []) as ApiOperation['parameters'],
        body: (requestBody as { content: Record<string, { schema: ValueSchema }> } | undefined)
          ?.content['application/json']?.schema,
        statuses: new Set(Object.keys(responses as object).map(Number)),
      })),
  );
}

const METHOD_ORDER = ['POST', 'PUT', 'PATCH', 'GET', 'DELETE'];

/** Sorts creating calls before dependent ones, and deleting calls last. */
export const sortMakersFirst = (a: ApiOperation, b: ApiOperation) =>
  METHOD_ORDER.indexOf(a.method) - METHOD_ORDER.indexOf(b.method);
