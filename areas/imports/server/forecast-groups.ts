// Groups that an import would create or add members to, with the number of new members: groups
// named in rows, and groups chosen for all subscribers.
import { titleKey } from '#areas/groups/shared.ts';
import { groupsByKey, findGroupsOfSubscribers } from '#areas/groups/server/index.ts';
import { idsByAddress } from '#areas/subscribers/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { ReadPerson } from './person-rows.ts';
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
  people: number;
}

/** An address of a row and a group it joins. */
interface JoiningAddress {
  address: string;
  key: string;
}

export class GroupTally {
  private readonly accountId: number;
  /** Titles of groups for all subscribers. */
  private readonly common: readonly string[];
  private readonly groups = new Map<string, GroupCount>();
  /** A later row of the same subscriber may name a group again: the subscriber counts once. */
  private readonly counted = new SeenAddresses();

  constructor(accountId: number, common: readonly string[]) {
    this.accountId = accountId;
    this.common = common;
  }

  /** Groups for all subscribers are reported even if no row is imported. */
  async begin(tx: Tx): Promise<void> {
    await this.lookUpTitles(tx, this.common);
  }

  /** Processes the next rows, including repeated ones. */
  async take(tx: Tx, people: readonly ReadPerson[]): Promise<void> {
    await this.lookUpTitles(
      tx,
      people.flatMap((person) => person.groups),
    );
    const joinings = people.flatMap((person) => this.joiningsOf(person));
    const members = await this.membersAmong(tx, people, joinings);
    for (const { address, key } of joinings) {
      const group = this.groups.get(key) as GroupCount;
      if (group.id === undefined || members.get(address)?.has(group.id) !== true) group.people += 1;
    }
  }

  result(): GroupForecast[] {
    return [...this.groups.values()]
      .map(({ title, id, people }) => ({ title, isNew: id === undefined, people }))
      .sort((a, b) => b.people - a.people || a.title.localeCompare(b.title));
  }

  /** Looks up the groups of titles; each title once. */
  private async lookUpTitles(tx: Tx, titles: readonly string[]): Promise<void> {
    const newTitles = new Map<string, string>();
    for (const title of titles) {
      const key = titleKey(title);
      if (!this.groups.has(key) && !newTitles.has(key)) newTitles.set(key, title);
    }
    const existing = await groupsByKey(tx, this.accountId, [...newTitles.keys()]);
    for (const [key, title] of newTitles) {
      const group = existing.get(key);
      this.groups.set(key, { title: group?.title ?? title.trim(), id: group?.id, people: 0 });
    }
  }

  private joiningsOf(person: ReadPerson): JoiningAddress[] {
    const address = addressOf(person);
    return [...this.common, ...person.groups]
      .map((title) => ({ address, key: titleKey(title) }))
      .filter((entry) => this.counted.add(`${entry.key}\n${address}`, person.row) === undefined);
  }

  /** The groups of existing subscribers, by address. */
  private async membersAmong(
    tx: Tx,
    people: readonly ReadPerson[],
    joinings: readonly JoiningAddress[],
  ): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
    const addresses = new Set(
      joinings
        .filter(({ key }) => this.groups.get(key)?.id !== undefined)
        .map((joining) => joining.address),
    );
    const those = people.filter((person) => addresses.has(addressOf(person)));
    const ids = await idsByAddress(tx, this.accountId, {
      emails: those.flatMap((person) => person.emailKey ?? []),
      phones: those.flatMap((person) => (person.emailKey === null ? (person.phone ?? []) : [])),
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

const addressOf = (person: ReadPerson) => person.emailKey ?? person.phone ?? '';
