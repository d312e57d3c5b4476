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

/** Creates a workflow test client for one account. */
export function workflowBuilder(server: TestServer, owner: TestOwner) {
  const { accountId } = owner;
  const ok = (response: { status: number; text: string; body: { data: never } }) => {
    expect(response.status, response.text).toBe(200);
    return response.body.data as never;
  };

  function builder(id: string, trigger: string) {
    const url = `${API}/workflows/${id}`;
    return {
      ...{ id, at: url, trigger },
      async add(parent: string, type: string, data: object, path = 'TRUE'): Promise<string> {
        const position = { parent_id: parent, type, condition_path: path };
        const step: { id: string } = ok(await owner.post(`${url}/steps`, position));
        ok(await owner.patch(`${url}/steps/${step.id}/data`, { data }));
        return step.id;
      },
      steps: async (): Promise<WorkflowStep[]> => ok(await owner.get(`${url}/steps`)),
      people: async (): Promise<WorkflowRun[]> => ok(await owner.get(`${url}/people?limit=100`)),
      async activate(): Promise<void> {
        ok(await owner.patch(`${url}/activate`));
      },
      async set(settings: object): Promise<void> {
        ok(await owner.patch(url, { settings }));
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
      const url = `${API}/workflow_steps/${step}/content`;
      const { revision }: { revision: number } = ok(await owner.get(url));
      const body = '<p>Welcome {{ firstname }}</p><a href="https://tea.example/sale">Sale</a>';
      const html = `${body}<a href="{{ unsubscribe_link }}">Leave</a>`;
      ok(await owner.put(url, { revision, editor: 'html', html }));
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
    /** Returns the subscriber and the outcome of each stored event of an ended run. */
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
