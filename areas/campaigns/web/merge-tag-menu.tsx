// Puts a merge tag where the cursor is: columns, fields and what the message itself knows.
import { Button, Menu, ScrollArea } from '@mantine/core';
import { IconBraces } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTexts } from '#platform/web/texts.ts';
import { api } from './queries.ts';

const KINDS = ['person', 'field', 'variable', 'system'] as const;

export function MergeTagMenu({ id, onInsert }: { id: string; onInsert: (tag: string) => void }) {
  const t = useTexts('campaigns');
  const tags = useQuery({
    ...api.query('GET /client-api/api/campaigns/{id}/merge_tags', { params: { id } }),
    staleTime: 60_000,
  });
  const list = tags.data?.data ?? [];
  const written = (name: string, kind: string) =>
    kind === 'system' || name === 'email' ? `{{${name}}}` : `{{ ${name} | default: "" }}`;
  return (
    <Menu position="bottom-start" shadow="md" width={280}>
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<IconBraces size={16} stroke={1.75} />}>
          {t('tags.insert')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <ScrollArea.Autosize mah={360}>
          {KINDS.map((kind) => {
            const some = list.filter((tag) => tag.kind === kind);
            if (some.length === 0) return null;
            return (
              <div key={kind}>
                <Menu.Label>{t(`tags.${kind}`)}</Menu.Label>
                {some.map(({ name, title }) => (
                  <Menu.Item key={name} onClick={() => onInsert(written(name, kind))}>
                    {kind === 'field' ? title : t(`tags.names.${name}`)}
                  </Menu.Item>
                ))}
              </div>
            );
          })}
        </ScrollArea.Autosize>
      </Menu.Dropdown>
    </Menu>
  );
}
