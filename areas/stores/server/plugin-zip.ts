// Builds a ZIP with a store platform's plugin, the address of this installation and a new API
// token. The plugin's files come from clients/, which contains no code of the server.
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import yazl from 'yazl';
import { createToken } from '#areas/accounts/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import type { PluginPlatform } from '../shared.ts';
import { getStoresSettings } from './settings.ts';

const CLIENTS = join(import.meta.dirname, '../../../clients');
/** Name of a plugin's folder, which platforms use as the name of the plugin. */
const FOLDER = 'sendloom';
const TITLES: Readonly<Record<PluginPlatform, string>> = {
  wordpress: 'WordPress',
  prestashop: 'PrestaShop',
};
/**
 * Rights of the token: a plugin registers its store, sends customers, carts and orders, and shows
 * groups in its settings.
 */
const PLUGIN_RIGHTS = ['read', 'people', 'people.change', 'settings'] as const;
/**
 * Code at the beginning of the file with the token. It ends the file's execution outside of the
 * platform, for example if a browser requests the file.
 */
const GUARDS: Readonly<Record<PluginPlatform, string>> = {
  wordpress: "defined( 'ABSPATH' ) || exit;",
  prestashop: "if (!defined('_PS_VERSION_')) {\n    exit;\n}",
};

/** @throws `right_not_yours` if the caller lacks a right of the token */
export async function downloadPlugin(
  tx: Tx,
  caller: Pick<Caller, 'accountId' | 'userId' | 'sessionId' | 'rights'>,
  platform: PluginPlatform,
): Promise<{ name: string; content: string }> {
  const { token } = await createToken(tx, caller, {
    title: TITLES[platform],
    validity_days: null,
    scopes: [...PLUGIN_RIGHTS],
  });
  const content = await buildPluginZip(platform, { address: getStoresSettings().publicUrl, token });
  return { name: `sendloom-${platform}.zip`, content: content.toString('base64') };
}

export async function buildPluginZip(
  platform: PluginPlatform,
  connection: { address: string; token: string },
): Promise<Buffer> {
  const folder = join(CLIENTS, platform);
  const files = await Array.fromAsync(
    glob('**/*.{php,js,txt,twig,tpl}', { cwd: folder, exclude: ['test/**'] }),
  );
  const archive = new yazl.ZipFile();
  for (const file of ['LICENSE', ...files].sort())
    archive.addBuffer(
      await readFile(join(folder, file)),
      `${FOLDER}/${file.replaceAll('\\', '/')}`,
    );
  archive.addBuffer(Buffer.from(connectionFile(platform, connection)), `${FOLDER}/connection.php`);
  archive.end();
  return buffer(archive.outputStream);
}

function connectionFile(
  platform: PluginPlatform,
  { address, token }: { address: string; token: string },
): string {
  return `<?php
${GUARDS[platform]}
return array(
    'address' => ${phpText(address)},
    'token' => ${phpText(token)},
);
`;
}

const phpText = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
