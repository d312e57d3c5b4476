// State and actions of the builder: the workflow, the selected step, the step being moved or
// copied, edits, the dry run, and undo. An undo restores the previous version as a new one.
import {
  createContext,
  type Dispatch,
  type RefObject,
  type SetStateAction,
  use,
  useCallback,
  useMemo,
  useRef,
  useState,
} from 'react';
import { flag, text, useSearchParams } from '#platform/web/api/address.ts';
import { queryClient, invalidate } from '#platform/web/api/queries.ts';
import { useSession } from '#platform/web/session/session.ts';
import { showAutomationError } from './automation-error.ts';
import type { WorkflowStep, WorkflowTrial } from '../contract.ts';
import type { StepSlot } from './canvas/layout.ts';
import {
  api,
  type ResponseOfWhole,
  LIST_PATH,
  type WholeWorkflow,
  workflowQuery,
} from './queries.ts';
import { type StepEdits, useStepEdits } from './use-step-edits.ts';

/** `split` creates a condition of the kind `split`. */
export type NewStepType = 'EMAIL' | 'SMS' | 'ACTION' | 'CONDITION' | 'delay' | 'split';
export type CarriedStep = { step: WorkflowStep; action: 'move' | 'copy' };

export interface WorkflowBuilder extends StepEdits, TrialState {
  workflow: WholeWorkflow;
  isActive: boolean;
  selectedStep: WorkflowStep | undefined;
  selectStep: (id: string | undefined) => void;
  carriedStep: CarriedStep | undefined;
  setCarriedStep: (carriedStep: CarriedStep | undefined) => void;
  isBusy: boolean;
  /**
   * Increases with each undo and redo, so that the forms of steps start again from the restored
   * data.
   */
  generation: number;
  insertStep: (slot: StepSlot, type: NewStepType, childrenPath?: string) => Promise<void>;
  dropStep: (slot: StepSlot) => Promise<void>;
  remove: (step: WorkflowStep, how: { path: string; isAll: boolean }) => Promise<boolean>;
  duplicate: (step: WorkflowStep) => Promise<void>;
  save: (step: WorkflowStep, data: Record<string, unknown>) => Promise<boolean>;
  undo: () => void;
  redo: () => void;
  canUndo: boolean;
  canRedo: boolean;
}

/** The selected step is part of the URL, so the email editor can return to it. */
const address = { step: text(), review: flag() };

const Context = createContext<WorkflowBuilder | undefined>(undefined);
export const BuilderContext = Context.Provider;

export function useBuilder(): WorkflowBuilder {
  const builder = use(Context);
  if (!builder) throw new Error('This hook needs the builder’s context');
  return builder;
}

export function useNewBuilder(workflow: WholeWorkflow): WorkflowBuilder {
  const { id, steps } = workflow;
  const [{ step: chosenId }, setAddress] = useSearchParams(address);
  // The review closes when a step is selected.
  const selectStep = useCallback(
    (step = '') => setAddress({ step, review: false }, { replace: true }),
    [setAddress],
  );
  const [carriedStep, setCarriedStep] = useState<CarriedStep>();
  const history = useVersions(id);
  const isActive = workflow.status === 'ACTIVE';
  const edits = useStepEdits(id);
  const { change, ...travel } = history;
  const { user, account } = useSession();

  const save = useCallback(
    async (step: WorkflowStep, data: Record<string, unknown>) =>
      (await change(() =>
        api('PATCH /client-api/api/workflows/{id}/steps/{stepId}/data', {
          params: { id, stepId: step.id },
          body: { data },
        }),
      )) !== undefined,
    [change, id],
  );

  const insertStep = async (slot: StepSlot, type: NewStepType, childrenPath?: string) => {
    const initialData = createInitialData(type, account.title, user.email);
    showPlaceholder(id, slot, type, childrenPath);
    const result = await change(() => addStep(id, slot, type, initialData, childrenPath));
    if (result !== undefined) selectStep(result);
  };

  return {
    workflow,
    isActive,
    selectedStep: steps.find((step) => step.id === chosenId),
    selectStep,
    carriedStep,
    setCarriedStep,
    insertStep,
    save,
    dropStep: async (slot) => {
      if (!carriedStep) return;
      const body = { parent_id: slot.parent.id, condition_path: slot.path };
      const params = { id, stepId: carriedStep.step.id };
      setCarriedStep(undefined);
      await change<unknown>(() =>
        carriedStep.action === 'move'
          ? api('PATCH /client-api/api/workflows/{id}/steps/{stepId}', { params, body })
          : api('POST /client-api/api/workflows/{id}/steps/{stepId}/copy', {
              params,
              body,
              idempotencyKey: crypto.randomUUID(),
            }),
      );
    },
    ...useRemovalAndCopy(id, change, selectStep),
    ...edits,
    ...useTrialState(selectStep, workflow.version),
    ...travel,
  };
}

type TreeChange = ReturnType<typeof useVersions>['change'];

function useRemovalAndCopy(
  id: string,
  change: TreeChange,
  selectStep: WorkflowBuilder['selectStep'],
): Pick<WorkflowBuilder, 'remove' | 'duplicate'> {
  const createParams = (step: WorkflowStep) => ({ id, stepId: step.id });
  return {
    remove: async (step, { path, isAll }) => {
      const result = await change(() =>
        api('DELETE /client-api/api/workflows/{id}/steps/{stepId}', {
          params: createParams(step),
          body: { delete_all_below: isAll, condition_path: path },
        }),
      );
      if (result !== undefined) selectStep(step.parent_id ?? undefined);
      return result !== undefined;
    },
    duplicate: async (step) => {
      const result = await change(() =>
        api('POST /client-api/api/workflows/{id}/steps/{stepId}/duplicate', {
          params: createParams(step),
          idempotencyKey: crypto.randomUUID(),
        }),
      );
      if (result) selectStep(result.data.id);
    },
  };
}

interface TrialState {
  /** The result of the last dry run, highlighted on the canvas. */
  trial: WorkflowTrial | undefined;
  setTrial: (trial: WorkflowTrial | undefined) => void;
  isTrialOpen: boolean;
  setTrialOpen: (isOpen: boolean) => void;
}

/** A dry run belongs to one version of the tree and is not shown for another. */
function useTrialState(selectStep: (id: string | undefined) => void, version: number): TrialState {
  const [last, setLast] = useState<{ trial: WorkflowTrial; version: number }>();
  const trial = last?.version === version ? last.trial : undefined;
  const setTrial = (next: WorkflowTrial | undefined) => setLast(next && { trial: next, version });
  const [isTrialOpen, setTrialOpen] = useState(false);
  return {
    ...{ trial, setTrial, isTrialOpen },
    setTrialOpen: (isOpen) => {
      setTrialOpen(isOpen);
      if (isOpen) selectStep(undefined);
      else setTrial(undefined);
    },
  };
}

const PLACEHOLDER = 'new';

/** Returns whether the step is a placeholder, shown before the server has created the step. */
export const isPlaceholder = (step: Pick<WorkflowStep, 'id'>) => step.id === PLACEHOLDER;

/** Shows a new step immediately, until the workflow is reloaded after the server's response. */
function showPlaceholder(
  id: string,
  { parent, path, child }: StepSlot,
  type: NewStepType,
  childrenPath = 'TRUE',
): void {
  const isSplit = type === 'split';
  const placeholder: WorkflowStep = {
    ...{ id: PLACEHOLDER, workflow_id: id, type: isSplit ? 'CONDITION' : type },
    ...{ parent_id: parent.id, condition_path: path, data: isSplit ? { kind: 'split' } : {} },
    ...{ missing: [], complete: true, editor: null, problem: null, warnings: [], revision: 0 },
    ...{ here: 0, children: child ? [child.id] : [] },
  };
  queryClient.setQueryData<ResponseOfWhole>(workflowQuery(id).queryKey, (result) => {
    if (!result) return result;
    const steps = result.data.steps.flatMap((step) => {
      if (step.id === child?.id)
        return [{ ...step, parent_id: PLACEHOLDER, condition_path: isSplit ? 'A' : childrenPath }];
      if (step.id !== parent.id) return [step];
      const otherIds = step.children.filter((id) => id !== child?.id);
      return [{ ...step, children: [...otherIds, PLACEHOLDER] }, placeholder];
    });
    return { ...result, data: { ...result.data, steps } };
  });
}

async function addStep(
  id: string,
  slot: StepSlot,
  type: NewStepType,
  initialData: ReturnType<typeof createInitialData>,
  childrenPath: string | undefined,
): Promise<string> {
  const { data } = await api('POST /client-api/api/workflows/{id}/steps', {
    params: { id },
    body: {
      parent_id: slot.parent.id,
      type: (type === 'split' ? 'CONDITION' : type) as 'EMAIL',
      condition_path: slot.path,
      ...(childrenPath && { children_path: childrenPath }),
    },
    idempotencyKey: crypto.randomUUID(),
  });
  if (initialData)
    await api('PATCH /client-api/api/workflows/{id}/steps/{stepId}/data', {
      params: { id, stepId: data.id },
      body: { data: initialData },
    });
  return data.id;
}

/** Returns the initial data of a new step, or undefined for types that start empty. */
function createInitialData(type: NewStepType, from_name: string, from_email: string) {
  if (type === 'EMAIL') return { ...(from_name && { from_name }), from_email };
  if (type === 'delay') return { delay_type: 'DAYS', amount: 1 };
  if (type !== 'split') return undefined;
  const createHalf = (path: 'A' | 'B') => ({ path, share: 50 });
  return { kind: 'split', shares: [createHalf('A'), createHalf('B')] };
}

/** Runs changes one after the other and stores the version numbers for undo and redo. */
function useVersions(id: string) {
  const [past, setPast] = useState<number[]>([]);
  const [future, setFuture] = useState<number[]>([]);
  const [busy, setBusy] = useState(0);
  const [generation, setGeneration] = useState(0);
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const lastOwnVersion = useRef<number>(undefined);

  return useMemo(() => {
    const getVersion = () =>
      queryClient.getQueryData(workflowQuery(id).queryKey)?.data.version ?? 0;
    const inTurn = createQueue(id, queue, setBusy);
    const change = <Result>(action: () => Promise<Result>) =>
      inTurn(async () => {
        const versionBefore = getVersion();
        // After a change by another user, an undo would also revert that change.
        const isOurs =
          lastOwnVersion.current === undefined || lastOwnVersion.current === versionBefore;
        const result = await action();
        await invalidate(LIST_PATH);
        setPast((versions) => [...(isOurs ? versions : []), versionBefore].slice(-50));
        setFuture([]);
        lastOwnVersion.current = getVersion();
        return result;
      });
    const restoreVersion = (number: number) =>
      inTurn(async () => {
        await api('POST /client-api/api/workflows/{id}/versions/{number}/restore', {
          params: { id, number },
          body: { with_words: false },
        });
        await invalidate(LIST_PATH);
        lastOwnVersion.current = getVersion();
        setGeneration((count) => count + 1);
      });
    const createHistoryStep = (from: number[], isUndo: boolean) => () => {
      const number = from.at(-1);
      if (number === undefined) return;
      const currentVersion = getVersion();
      if (lastOwnVersion.current !== currentVersion) {
        setPast([]);
        setFuture([]);
        return;
      }
      (isUndo ? setPast : setFuture)((versions) => versions.slice(0, -1));
      (isUndo ? setFuture : setPast)((versions) => [...versions, currentVersion]);
      void restoreVersion(number);
    };
    return {
      change,
      isBusy: busy > 0,
      generation,
      undo: createHistoryStep(past, true),
      redo: createHistoryStep(future, false),
      canUndo: past.length > 0 && busy === 0,
      canRedo: future.length > 0 && busy === 0,
    };
  }, [id, past, future, busy, generation]);
}

/**
 * Runs each `work` after the previous one. If one fails, shows its error and reloads the workflow.
 */
function createQueue(
  id: string,
  queue: RefObject<Promise<unknown>>,
  setBusy: Dispatch<SetStateAction<number>>,
) {
  return <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
    setBusy((count) => count + 1);
    const queuedWork = queue.current.then(async () => {
      try {
        return await work();
      } catch (error) {
        showAutomationError(error);
        await invalidate(`${LIST_PATH}/${id}`);
        return undefined;
      } finally {
        setBusy((count) => count - 1);
      }
    });
    queue.current = queuedWork;
    return queuedWork;
  };
}
