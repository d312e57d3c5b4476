// The link from an empty list to the archive, if anything is archived.
import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ListMeta } from '#platform/contract.ts';
import { http } from '#platform/web/api/http.ts';
import { useTexts } from '#platform/web/texts/texts.ts';

interface ArchiveLinkProps {
  /** The address of the list's call. */
  base: string;
  showArchive: () => void;
}

const query = { archived: 'true', limit: 1 };

export function ArchiveLink({ base, showArchive }: ArchiveLinkProps) {
  const t = useTexts('folders');
  const archive = useQuery({
    queryKey: [...base.split('/').filter(Boolean), { query }],
    queryFn: ({ signal }) => http<{ meta?: ListMeta }>('GET', base, { query, signal }),
  });
  if (!archive.data?.meta?.total) return null;
  return (
    <Anchor component="button" type="button" onClick={showArchive}>
      {t('archive')}
    </Anchor>
  );
}
