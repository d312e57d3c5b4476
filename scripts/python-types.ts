// Generates the types of the Python client from docs/api/v2.json: one overload per call.
import type { Description, OpenApiOperation, JsonSchema } from './client-types.ts';

const HEADER = `# Generated from docs/api/v2.json: npm run generate.
from threading import Event
from typing import Any, Dict, List, Literal, Optional, Union, overload
from typing_extensions import NotRequired, TypedDict

`;
const COMMON_ARGUMENTS = 'idempotency_key: Optional[str] = ..., cancel: Optional[Event] = ...';

export function renderPythonTypes(description: Description): string {
  const types = new ObjectTypes(description.components?.schemas ?? {});
  const calls = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      callOf(`${method.toUpperCase()} ${path}`, operation, types),
    ),
  );
  return `${HEADER}${types.declarations.join('\n')}\n\nclass Calls:\n${calls.join('\n')}\n`;
}

function callOf(name: string, operation: OpenApiOperation, types: ObjectTypes): string {
  const typeName = `_${capitalize(operation.operationId.split('.').at(-1) ?? '')}`;
  const values = (['path', 'query'] as const).flatMap((location) => {
    const parameters = (operation.parameters ?? []).filter(
      (parameter) => parameter.in === location,
    );
    if (parameters.length === 0) return [];
    const isNeeded = parameters.some(({ required }) => required);
    const fields = parameters.map(({ name, required = false, schema }) => ({
      name,
      required,
      schema,
    }));
    const argumentName = location === 'path' ? 'params' : 'query';
    const type = types.renderTypedDict(fields, `${typeName}${capitalize(argumentName)}`);
    return [argument(argumentName, type, isNeeded)];
  });
  const body = jsonOf(operation.requestBody);
  if (body)
    values.push(
      argument(
        'body',
        types.renderType(body, `${typeName}Body`),
        operation.requestBody?.required ?? false,
      ),
    );
  const responseSchema = jsonOf(operation.responses['200']);
  const responseType = responseSchema
    ? types.renderType(responseSchema, `${typeName}Response`)
    : 'Any';
  const parameters = ['self', `name: Literal[${quote(name)}]`, '*', ...values, COMMON_ARGUMENTS];
  const summary = quote(operation.summary);
  return `    @overload\n    def call(${parameters.join(', ')}) -> ${responseType}:\n        ${summary}\n`;
}

const argument = (name: string, type: string, isNeeded: boolean) =>
  isNeeded ? `${name}: ${type}` : `${name}: Optional[${type}] = ...`;
const quote = (text: string) => JSON.stringify(text);
const jsonOf = (content: OpenApiOperation['requestBody'] | undefined) =>
  content?.content?.['application/json']?.schema;

type TypedDictField = { name: string; required: boolean; schema: JsonSchema };

/** Returns the text as part of a type's name: `has_more` becomes `HasMore`. */
const capitalize = (text: string) =>
  text.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/**
 * Python has no anonymous object types, so each distinct object type is a TypedDict. It is named
 * after the first call and property that use it, so that a changed call changes few other types.
 */
class ObjectTypes {
  readonly declarations: string[] = [];
  readonly #names = new Map<string, string>();
  /** For each name, the number of types that would have it; each after the first gets a number. */
  readonly #uses = new Map<string, number>();
  readonly #schemas: Record<string, JsonSchema>;

  constructor(schemas: Record<string, JsonSchema>) {
    this.#schemas = schemas;
  }

  /** @param typeName the name of the type if it is new. */
  renderTypedDict(fields: readonly TypedDictField[], typeName: string): string {
    const entries = fields.map(({ name, required, schema }) => {
      const type = this.renderType(schema, `${typeName}${capitalize(name)}`);
      return `${quote(name)}: ${required ? type : `NotRequired[${type}]`}`;
    });
    const text = `{${entries.join(', ')}}`;
    const existingName = this.#names.get(text);
    if (existingName) return existingName;
    const uses = (this.#uses.get(typeName) ?? 0) + 1;
    this.#uses.set(typeName, uses);
    const name = uses === 1 ? typeName : `${typeName}${uses}`;
    this.#names.set(text, name);
    this.declarations.push(`${name} = TypedDict("${name}", ${text})`);
    return name;
  }

  renderType(schema: JsonSchema, typeName: string): string {
    if (schema.$ref) {
      const namedSchema = this.#schemas[schema.$ref.split('/').at(-1) ?? ''];
      return namedSchema ? this.renderType(namedSchema, typeName) : 'Any';
    }
    if (schema.const !== undefined) return literal([schema.const]);
    if (schema.enum) return literal(schema.enum);
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (alternatives)
      return union(alternatives.map((alternative) => this.renderType(alternative, typeName)));
    if (Array.isArray(schema.type))
      return union(schema.type.map((type) => this.renderType({ ...schema, type }, typeName)));
    return this.#plainType(schema, typeName);
  }

  #plainType(schema: JsonSchema, typeName: string): string {
    const { type, items, properties, required = [], additionalProperties: valueSchema } = schema;
    if (type === 'string') return 'str';
    if (type === 'boolean') return 'bool';
    if (type === 'null') return 'None';
    if (type === 'integer') return 'int';
    if (type === 'number') return 'float';
    if (type === 'array') return `List[${items ? this.renderType(items, typeName) : 'Any'}]`;
    if (type !== 'object') return 'Any';
    if (!properties || Object.keys(properties).length === 0)
      return `Dict[str, ${typeof valueSchema === 'object' ? this.renderType(valueSchema, typeName) : 'Any'}]`;
    return this.renderTypedDict(
      Object.entries(properties).map(([name, property]) => ({
        ...{ name, required: required.includes(name), schema: property },
      })),
      typeName,
    );
  }
}

function literal(values: readonly unknown[]): string {
  const literals = values.map((value) => {
    if (value === null) return 'None';
    if (typeof value === 'boolean') return value ? 'True' : 'False';
    return JSON.stringify(value);
  });
  return `Literal[${literals.join(', ')}]`;
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  return distinct.length === 1 ? (distinct[0] as string) : `Union[${distinct.join(', ')}]`;
}
