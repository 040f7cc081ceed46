import { build } from '/tmp/wt/bench/node_modules/esbuild/lib/main.js';
import { gzipSync } from 'node:zlib';
const r=await build({stdin:{contents:`export { DLProvider, useItem, useCollection } from '@edict/react'; export { DL } from '@edict/core';`,resolveDir:'/tmp/wt/bench',loader:'ts'},bundle:true,minify:true,format:'esm',target:'es2022',conditions:['source'],define:{'process.env.NODE_ENV':'"production"'},external:['react','react-dom'],write:false,metafile:true,legalComments:'none',outfile:'/tmp/o.js'});
const t=r.outputFiles[0].text; console.log(t.length,gzipSync(t,{level:9}).length);
const i=Object.values(r.metafile.outputs)[0].inputs; for(const [k,v] of Object.entries(i).sort((a,b)=>b[1].bytesInOutput-a[1].bytesInOutput)) if(v.bytesInOutput>0) console.log(String(v.bytesInOutput).padStart(6),k);
(await import('node:fs')).writeFileSync('/tmp/min.js',t);
