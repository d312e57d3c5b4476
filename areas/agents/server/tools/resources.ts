// Resources with data of the account: its brand, and its custom fields and merge tags. A resource
// is read like a tool without input, with the same rights and budget.
import { z } from 'zod';
import { defineTool, pickProperties, toRows, type Tool } from './tool.ts';

const emptyInput = z.strictObject({});

const brand = defineTool({
  name: 'brand',
  title: 'Brand',
  description: 'Colors, fonts, logo, website and social links of the business.',
  input: emptyInput,
  kind: 'read',
  calls: ['GET /brand'],
  run: (_, { call }) => call('GET /brand'),
});

const fields = defineTool({
  name: 'fields',
  title: 'Custom fields',
  description: 'Custom fields of subscribers, their types and merge tags.',
  input: emptyInput,
  kind: 'read',
  calls: ['GET /fields'],
  async run(_, { call }) {
    const rows = toRows(await call('GET /fields', { query: { limit: 100 } }));
    return {
      fields: rows.map((row) => ({
        ...pickProperties(row, 'id', 'title', 'type'),
        merge_tag: `{{${String(row.name)}}}`,
      })),
    };
  },
});

export const RESOURCES: readonly { uri: string; tool: Tool }[] = [brand, fields].map((tool) => ({
  uri: `account://${tool.name}`,
  tool,
}));
