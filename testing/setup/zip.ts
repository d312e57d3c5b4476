// ZIP files generated for tests.
import { crc32, deflateRawSync } from 'node:zlib';

/** Creates a zip file of these entries. `claim` falsifies the sizes in the headers. */
export function createZip(
  entries: Record<string, string | Buffer>,
  claim?: { unpackedBytes: number },
): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(entries)) {
    const body = Buffer.from(content as string);
    const deflatedBody = deflateRawSync(body);
    const head = Buffer.alloc(30 + name.length);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(8, 8);
    head.writeUInt32LE(crc32(body), 14);
    head.writeUInt32LE(deflatedBody.length, 18);
    head.writeUInt32LE(claim?.unpackedBytes ?? body.length, 22);
    head.writeUInt16LE(name.length, 26);
    head.write(name, 30);
    const entry = Buffer.alloc(46 + name.length);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(deflatedBody.length, 20);
    entry.writeUInt32LE(claim?.unpackedBytes ?? body.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    entry.write(name, 46);
    locals.push(head, deflatedBody);
    directory.push(entry);
    offset += head.length + deflatedBody.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, list, end]);
}
