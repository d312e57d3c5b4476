// Helpers of workflow tests: they build trees over HTTP, cause events of subscribers and run the
// engine.
import { sql } from 'kysely';
import { expect } from 'vitest';
import { readSendingOptions } from '#areas/content/server/index.ts';
import { addToGroups } from '#areas/groups/server/index.ts';
import type { WorkflowStep, WorkflowRun } from '#areas/workflows/contract.ts';
import { runTurns } from '#areas/workflows/server/account-turn.ts';
import { decodeId } from '#platform/ids.ts';
import type { Origin } from '#platform/origins.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import type { TestOwner, TestServer } from '../setup/server.ts';

const API = '/client-api/api';
export const EMAIL = {
  subject: 'Hello {{ firstname }}',
  from_name: 'Tea',
  from_email: 'news@tea.example',
};

/** The workflow operations of one account. */
export function workflowBuilder(server: TestServer, owner: TestOwner) {
  const { accountId } = owner;
  const ok = (answer: { status: number; text: string; body: { data: never } }) => {
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data as never;
  };

  function builder(id: string, trigger: string) {
    const at = `${API}/workflows/${id}`;
    return {
      ...{ id, at, trigger },
      async add(parent: string, type: string, data: object, path = 'TRUE'): Promise<string> {
        const place = { parent_id: parent, type, condition_path: path };
        const added: { id: string } = ok(await owner.post(`${at}/steps`, place));
        ok(await owner.patch(`${at}/steps/${added.id}/data`, { data }));
        return added.id;
      },
      steps: async (): Promise<WorkflowStep[]> => ok(await owner.get(`${at}/steps`)),
      people: async (): Promise<WorkflowRun[]> => ok(await owner.get(`${at}/people?limit=100`)),
      async activate(): Promise<void> {
        ok(await owner.patch(`${at}/activate`));
      },
      async set(settings: object): Promise<void> {
        ok(await owner.patch(at, { settings }));
      },
    };
  }

  return {
    turns: () => runTurns(server.db, readSendingOptions(server.config)),
    async group(title: string): Promise<{ id: string; number: number }> {
      const { id }: { id: string } = ok(await owner.post(`${API}/tags`, { title }));
      return { id, number: decodeId('group', id) as number };
    },
    async workflow(trigger: object, title = 'Welcome') {
      const { id }: { id: string } = ok(await owner.post(`${API}/workflows`, { title }));
      const definition = { trigger_definition: trigger };
      const [first]: WorkflowStep[] = ok(
        await owner.post(`${API}/workflows/${id}/trigger`, definition),
      );
      return builder(id, (first as WorkflowStep).id);
    },
    /** Writes the content of an email step. */
    async write(step: string): Promise<void> {
      await sql`update accounts set title = 'Tea', address = '1 Road', city = 'Oslo', country = 'NO',
          zip_code = '1' where id = ${accountId}`.execute(server.db);
      const at = `${API}/workflow_steps/${step}/content`;
      const { revision }: { revision: number } = ok(await owner.get(at));
      const body = '<p>Welcome {{ firstname }}</p><a href="https://tea.example/sale">Sale</a>';
      const html = `${body}<a href="{{ unsubscribe_link }}">Leave</a>`;
      ok(await owner.put(at, { revision, editor: 'html', html }));
    },
    join: (groupId: number, ids: number[], origin: Origin = 'form') =>
      inTransaction(server.db, (tx) =>
        addToGroups(tx, accountId, { groupIds: [groupId], subscriberIds: ids, origin }),
      ),
    async members(groupId: number): Promise<number[]> {
      const { rows } = await sql<{ id: number }>`select subscriber_id as id from group_members
        where account_id = ${accountId} and group_id = ${groupId} order by 1`.execute(server.db);
      return rows.map((row) => row.id);
    },
    /** Adds a webhook of ended runs, so that their events are stored. */
    async listenForFinished(): Promise<void> {
      await sql`insert into webhook_endpoints (account_id, url, topic, created_at)
        values (${accountId}, 'https://tea.example/', 'workflows/finished', now())`.execute(
        server.db,
      );
    },
    /** The subscriber and the outcome of each stored event of an ended run. */
    async finished(): Promise<[number, string][]> {
      const { rows } = await sql<{ id: number; outcome: string }>`
        select subject_id as id, details -> 'said' ->> 'outcome' as outcome from webhook_deliveries
        where account_id = ${accountId} and topic = 'workflows/finished' order by id`.execute(
        server.db,
      );
      return rows.map((row) => [row.id, row.outcome]);
    },
  };
}
