// Groups that an import would create or add members to, with the number of new members: groups
// named in rows, and groups chosen for all subscribers.

import { findGroupsOfSubscribers, findGroupsByKey } from '#areas/groups/server/index.ts';
import { toTitleKey } from '#areas/groups/shared.ts';
import { mapIdsByAddress } from '#areas/subscribers/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { ImportRecord } from './import-records.ts';
import { SeenAddresses } from './reading/address-filter.ts';

export interface GroupForecast {
  title: string;
  isNew: boolean;
  /** Number of subscribers who are not members yet. */
  people: number;
}

interface GroupCount {
  /** The existing title, or the first spelling in the file. */
  title: string;
  /** Id of the group; undefined if it would be created. */
  id: number | undefined;
  newMemberCount: number;
}

/** An address of a row and a group it joins. */
interface JoiningAddress {
  address: string;
  key: string;
}

export class GroupTally {
  private readonly accountId: number;
  /** Titles of groups for all subscribers. */
  private readonly commonTitles: readonly string[];
  private readonly groups = new Map<string, GroupCount>();
  /** A later row of the same subscriber may name a group again: the subscriber counts once. */
  private readonly countedMemberships = new SeenAddresses();

  constructor(accountId: number, commonTitles: readonly string[]) {
    this.accountId = accountId;
    this.commonTitles = commonTitles;
  }

  /** Groups for all subscribers are reported even if no row is imported. */
  async addCommonGroups(tx: Tx): Promise<void> {
    await this.lookUpTitles(tx, this.commonTitles);
  }

  /** Processes the next rows, including repeated ones. */
  async addRecords(tx: Tx, records: readonly ImportRecord[]): Promise<void> {
    await this.lookUpTitles(
      tx,
      records.flatMap((record) => record.groups),
    );
    const joinings = records.flatMap((record) => this.listJoinings(record));
    const members = await this.readMemberships(tx, records, joinings);
    for (const { address, key } of joinings) {
      const group = this.groups.get(key) as GroupCount;
      if (group.id === undefined || members.get(address)?.has(group.id) !== true)
        group.newMemberCount += 1;
    }
  }

  result(): GroupForecast[] {
    return [...this.groups.values()]
      .map(({ title, id, newMemberCount }) => ({
        title,
        isNew: id === undefined,
        people: newMemberCount,
      }))
      .sort((a, b) => b.people - a.people || a.title.localeCompare(b.title));
  }

  /** Looks up the groups of titles; each title once. */
  private async lookUpTitles(tx: Tx, titles: readonly string[]): Promise<void> {
    const newTitles = new Map<string, string>();
    for (const title of titles) {
      const key = toTitleKey(title);
      if (!this.groups.has(key) && !newTitles.has(key)) newTitles.set(key, title);
    }
    const existing = await findGroupsByKey(tx, this.accountId, [...newTitles.keys()]);
    for (const [key, title] of newTitles) {
      const group = existing.get(key);
      this.groups.set(key, {
        title: group?.title ?? title.trim(),
        id: group?.id,
        newMemberCount: 0,
      });
    }
  }

  private listJoinings(record: ImportRecord): JoiningAddress[] {
    const address = getAddress(record);
    return [...this.commonTitles, ...record.groups]
      .map((title) => ({ address, key: toTitleKey(title) }))
      .filter(
        (entry) =>
          this.countedMemberships.add(`${entry.key}\n${address}`, record.row) === undefined,
      );
  }

  /** The groups of existing subscribers, by address. */
  private async readMemberships(
    tx: Tx,
    records: readonly ImportRecord[],
    joinings: readonly JoiningAddress[],
  ): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
    const addresses = new Set(
      joinings
        .filter(({ key }) => this.groups.get(key)?.id !== undefined)
        .map((joining) => joining.address),
    );
    const matchingRecords = records.filter((record) => addresses.has(getAddress(record)));
    const ids = await mapIdsByAddress(tx, this.accountId, {
      emails: matchingRecords.flatMap((record) => record.emailKey ?? []),
      phones: matchingRecords.flatMap((record) =>
        record.emailKey === null ? (record.phone ?? []) : [],
      ),
    });
    const byId = Map.groupBy(
      await findGroupsOfSubscribers(tx, this.accountId, [...new Set(ids.values())]),
      (group) => group.subscriber_id,
    );
    return new Map(
      [...ids].map(([address, id]) => [address, new Set(byId.get(id)?.map((group) => group.id))]),
    );
  }
}

const getAddress = (record: ImportRecord) => record.emailKey ?? record.phone ?? '';
