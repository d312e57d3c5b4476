// `npm run build`: builds the web client into dist/web where its sources changed, for installs without the tools.
import { buildClient, isClientStale } from '../main/client-build.ts';

if (isClientStale()) await buildClient();
