// Routes for experiments, which each kind of broadcast registers under its own paths.
import type { z } from 'zod';
import { type Handlers, type Route, createRoutes } from '#platform/server/http/serve.ts';
import { experimentCalls, type experimentInput } from '../../experiment-contract.ts';
import type { BroadcastRow } from '../adapter.ts';
import { decideManually } from './decision.ts';
import { deleteExperiment, type ExperimentInput, setExperiment } from './draft.ts';
import type { VariantRow } from './rows.ts';
import type { ExperimentAdapter, VariantInput } from './adapter.ts';
import { readExperiment } from './present.ts';

type Input = ReturnType<typeof experimentInput<Record<string, never>>>;
type ExperimentCalls = ReturnType<typeof experimentCalls<'/{base}', z.ZodObject, Input>>;

/**
 * @param schemas from the contract of this kind of broadcast: `output` describes an experiment in
 * responses, `input` one in requests
 * @param textArea an area in a lower layer, searched for error texts that the adapter's area lacks
 */
export function experimentRoutes<
  Row extends BroadcastRow,
  Variant extends VariantRow,
  NewVariant extends VariantInput,
>(
  adapter: ExperimentAdapter<Row, Variant, NewVariant>,
  schemas: { output: z.ZodObject; input: z.ZodObject },
  textArea?: string,
): Route[] {
  const { base, idKind, area } = adapter.broadcast;
  // The path does not affect the types of the calls.
  const calls = experimentCalls(base as '/{base}', idKind, schemas.output, schemas.input as Input);
  const handlers: Handlers<ExperimentCalls> = {
    readExperiment: ({ tx, caller, params }) =>
      readExperiment(tx, adapter, caller.accountId, params.id),
    setExperiment: async ({ tx, caller, params, body }) => {
      // `schemas.input` has validated the body, so its variants have the fields of `NewVariant`.
      const input = body as ExperimentInput<NewVariant>;
      await setExperiment(tx, adapter, caller, params.id, input);
      return readExperiment(tx, adapter, caller.accountId, params.id);
    },
    deleteExperiment: ({ tx, caller, params, query }) =>
      deleteExperiment(tx, adapter, caller.accountId, params.id, query.revision),
    decideExperiment: async ({ tx, caller, params, body }) => {
      await decideManually(tx, adapter.broadcast, caller, params.id, body.variant);
      return readExperiment(tx, adapter, caller.accountId, params.id);
    },
  };
  return createRoutes<ExperimentCalls>(area, calls, handlers, {}, textArea);
}
