// Shows the links of a message, their clicks, and the number of subscribers who clicked.
import { Anchor, Table } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';

type FollowedLink = { url: string; clicks: number; people: number };

export function LinksTable<Row extends FollowedLink>(props: {
  links: readonly Row[];
  texts: { link: string; clicks: string; people: string };
  /** Returns the path of the page about a link; if unset, links have no page. */
  getPath?: (link: Row) => string;
}) {
  const { links, texts, getPath } = props;
  const { number } = useFormats();
  return (
    <Table.ScrollContainer minWidth={320}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.link}</Table.Th>
            <Table.Th ta="end">{texts.clicks}</Table.Th>
            <Table.Th ta="end">{texts.people}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {links.map((link, n) => (
            <Table.Tr key={n}>
              <Table.Td>
                {getPath ? (
                  <Anchor component={Link} to={getPath(link)}>
                    <bdi dir="ltr">{link.url}</bdi>
                  </Anchor>
                ) : (
                  <bdi dir="ltr">{link.url}</bdi>
                )}
              </Table.Td>
              <Table.Td ta="end">{number(link.clicks)}</Table.Td>
              <Table.Td ta="end">{number(link.people)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
