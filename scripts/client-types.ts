// Generates the types of the official client from docs/api/v2.json.
export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  additionalProperties?: boolean | JsonSchema;
};
type OpenApiParameter = { name: string; in: string; required?: boolean; schema: JsonSchema };
type Content = { content?: Record<string, { schema: JsonSchema }> };
export type OpenApiOperation = {
  operationId: string;
  summary: string;
  parameters?: OpenApiParameter[];
  requestBody?: Content & { required?: boolean };
  responses: Record<string, Content>;
};
export type Description = {
  paths: Record<string, Record<string, OpenApiOperation>>;
  components?: { schemas?: Record<string, JsonSchema> };
};

export function renderClientTypes(description: Description): string {
  const schemas = description.components?.schemas ?? {};
  const calls = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      callOf(`${method.toUpperCase()} ${path}`, operation, schemas),
    ),
  );
  return `// Generated from docs/api/v2.json: npm run generate.\n/* eslint-disable */\nexport interface Calls {\n${calls.join('\n')}\n}\n`;
}

function callOf(
  name: string,
  operation: OpenApiOperation,
  schemas: Record<string, JsonSchema>,
): string {
  const parameterTypes = (['path', 'query'] as const).flatMap((location) => {
    const parameters = (operation.parameters ?? []).filter(
      (parameter) => parameter.in === location,
    );
    if (parameters.length === 0) return [];
    const fields = parameters.map(
      (parameter) =>
        `${JSON.stringify(parameter.name)}${parameter.required ? '' : '?'}: ${typeOf(parameter.schema, schemas)}`,
    );
    const isNeeded = parameters.some((parameter) => parameter.required);
    return [
      `${location === 'path' ? 'params' : 'query'}${isNeeded ? '' : '?'}: { ${fields.join('; ')} };`,
    ];
  });
  const body = schemaOf(operation.requestBody);
  if (body)
    parameterTypes.push(
      `body${operation.requestBody?.required ? '' : '?'}: ${typeOf(body, schemas)};`,
    );
  const responseSchema = schemaOf(operation.responses['200']);
  parameterTypes.push(`answer: ${responseSchema ? typeOf(responseSchema, schemas) : 'unknown'};`);
  return `  /** ${operation.summary.replaceAll('*/', '')} */\n  ${JSON.stringify(name)}: { ${parameterTypes.join(' ')} };`;
}

const schemaOf = (content: Content | undefined) => content?.content?.['application/json']?.schema;

function typeOf(schema: JsonSchema, schemas: Record<string, JsonSchema>): string {
  if (schema.$ref) {
    const namedSchema = schemas[schema.$ref.split('/').at(-1) ?? ''];
    return namedSchema ? typeOf(namedSchema, schemas) : 'unknown';
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives)
    return alternatives.map((alternative) => `(${typeOf(alternative, schemas)})`).join(' | ');
  if (schema.allOf) return schema.allOf.map((part) => `(${typeOf(part, schemas)})`).join(' & ');
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type }, schemas)).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `(${schema.items ? typeOf(schema.items, schemas) : 'unknown'})[]`;
    case 'object':
      return objectOf(schema, schemas);
    default:
      return 'unknown';
  }
}

function objectOf(schema: JsonSchema, schemas: Record<string, JsonSchema>): string {
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, property]) =>
      `${JSON.stringify(name)}${schema.required?.includes(name) ? '' : '?'}: ${typeOf(property, schemas)}`,
  );
  const { additionalProperties: valueSchema } = schema;
  if (fields.length > 0) return `{ ${fields.join('; ')} }`;
  return `Record<string, ${typeof valueSchema === 'object' ? typeOf(valueSchema, schemas) : 'unknown'}>`;
}
