// Emoji to insert: found by name, recently used, common in marketing, and all by topic.
import { Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getCurrentLanguage, useTexts } from '../texts/texts.ts';
import { COMMON_EMOJI } from './common.ts';
import { EMOJI_GROUPS, type Emoji, loadEmoji, searchEmoji } from './names.ts';
import classes from './picker.module.css';
import { readRecentEmoji, rememberEmoji } from './recent.ts';

interface EmojiPickerProps {
  onPick: (emoji: string) => void;
}

export default function EmojiPicker({ onPick }: EmojiPickerProps) {
  const t = useTexts('editing');
  const [search, setSearch] = useState('');
  const [recent, setRecent] = useState(readRecentEmoji);
  const language = getCurrentLanguage();
  const names = useQuery({
    queryKey: ['emoji', language],
    queryFn: () => loadEmoji(language),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const all = names.data ?? [];
  const matches = searchEmoji(all, search);
  const isSearch = search.trim() !== '';
  const pick = (emoji: string) => {
    rememberEmoji(emoji);
    // An overlay may stay mounted between two uses.
    setRecent(readRecentEmoji());
    onPick(emoji);
  };
  return (
    <div className={classes.picker}>
      <TextInput
        size="xs"
        aria-label={t('emoji.search')}
        placeholder={t('emoji.search')}
        leftSection={<IconSearch size={14} stroke={1.75} />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // Inside a form, Enter would submit it.
          event.preventDefault();
          if (matches[0]) pick(matches[0].emoji);
        }}
        dir="auto"
        data-autofocus
      />
      <div className={classes.list}>
        {isSearch ? (
          <SearchResult found={matches} isLoading={names.isLoading} pick={pick} />
        ) : (
          <AllEmoji all={all} recent={recent} pick={pick} />
        )}
      </div>
    </div>
  );
}

interface AllEmojiProps {
  /** Empty until the names are loaded. */
  all: readonly Emoji[];
  recent: readonly string[];
  pick: (emoji: string) => void;
}

/** Lists recently used emoji, common emoji, and all emoji by topic. */
function AllEmoji({ all, recent, pick }: AllEmojiProps) {
  const t = useTexts('editing');
  const nameOf = new Map(all.map(({ emoji, name }) => [emoji, name]));
  const grid = (title: string, emoji: readonly string[]) => (
    <EmojiGrid title={title} emoji={emoji} names={nameOf} pick={pick} />
  );
  return (
    <>
      {recent.length > 0 && grid(t('emoji.recent'), recent)}
      {grid(t('emoji.common'), COMMON_EMOJI)}
      {all.length > 0 &&
        EMOJI_GROUPS.map((group) => (
          <div key={group} className={classes.group}>
            {grid(
              t(`emoji.groups.${group}`),
              all.flatMap((emoji) => (emoji.group === group ? [emoji.emoji] : [])),
            )}
          </div>
        ))}
    </>
  );
}

function SearchResult({
  found,
  isLoading,
  pick,
}: {
  found: readonly Emoji[];
  isLoading: boolean;
  pick: (emoji: string) => void;
}) {
  const t = useTexts('editing');
  if (found.length === 0) {
    return (
      <Text size="sm" c="dimmed" role="status" p="xs">
        {isLoading ? t('emoji.loading') : t('emoji.none')}
      </Text>
    );
  }
  const nameOf = new Map(found.map(({ emoji, name }) => [emoji, name]));
  return (
    <EmojiGrid
      title={t('emoji.found')}
      emoji={found.map(({ emoji }) => emoji)}
      names={nameOf}
      pick={pick}
    />
  );
}

function EmojiGrid({
  title,
  emoji,
  names,
  pick,
}: {
  title: string;
  emoji: readonly string[];
  names: ReadonlyMap<string, string>;
  pick: (emoji: string) => void;
}) {
  return (
    <section aria-label={title}>
      <Text size="xs" c="dimmed" fw={600} py={4}>
        {title}
      </Text>
      <div className={classes.grid}>
        {emoji.map((symbol) => (
          <button key={symbol} type="button" title={names.get(symbol)} onClick={() => pick(symbol)}>
            {symbol}
          </button>
        ))}
      </div>
    </section>
  );
}
