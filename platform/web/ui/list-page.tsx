// A list screen: title, table, and a button that creates an entry, shown even while the list is
// empty.
import { Button, Group } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { DataTable, type DataTableProps } from './data-table.tsx';
import { Page, type PageProps } from './page.tsx';
import { EmptyState, type EmptyStateProps } from './states.tsx';

type ListPageProps<Row> = Omit<DataTableProps<Row>, 'label' | 'empty'> &
  Pick<PageProps, 'description' | 'tabs'> & {
    title: string;
    /** Opens a screen, or a dialog of this screen. */
    create: { label: string; to?: string; onClick?: () => void };
    /** `more`: beside the button that creates an entry. */
    empty: { icon: EmptyStateProps['icon']; title: string; text: ReactNode; more?: ReactNode };
    /** Between the title and the table. */
    above?: ReactNode;
    /** Below the table. */
    children?: ReactNode;
  };

export function ListPage<Row>(props: ListPageProps<Row>) {
  const { title, description, tabs, create, empty, above, children, ...table } = props;
  const { label, to, onClick } = create;
  const icon = <IconPlus size={18} stroke={1.75} />;
  const button = to ? (
    <Button component={Link} to={to} leftSection={icon}>
      {label}
    </Button>
  ) : (
    <Button leftSection={icon} onClick={onClick}>
      {label}
    </Button>
  );
  return (
    <Page title={title} description={description} tabs={tabs} actions={button}>
      {above}
      <DataTable
        label={title}
        empty={
          <EmptyState
            icon={empty.icon}
            title={empty.title}
            action={
              <Group justify="center" gap="md">
                {button}
                {empty.more}
              </Group>
            }
          >
            {empty.text}
          </EmptyState>
        }
        {...table}
      />
      {children}
    </Page>
  );
}
