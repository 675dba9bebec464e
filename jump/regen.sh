# regenerates migrations/0000_init.sql with WITHOUT ROWID tables
cd the branch; export PATH=$PWD/node_modules/node/bin:$PATH
rm -rf /tmp/oldmig/cur; cp -r migrations /tmp/oldmig/cur; rm -r migrations; npx drizzle-kit generate --name init | tail -2
python3 - <<'P'
import re
s=open('the branch/migrations/0000_init.sql').read()
old=open('/tmp/oldmig/migrations/0000_init.sql').read()
for n in ['minted_hundreds','token_transfers','audit_entries','operation_counts']:
    m=re.search(r'CREATE TABLE `'+n+r'` \(.*?\n\);',s,flags=re.S)
    s=s.replace(m.group(0),m.group(0)[:-1]+' WITHOUT ROWID;')
s='\n'.join(old.split('\n')[:2])+'\n'+s
open('the branch/migrations/0000_init.sql','w').write(s)
P
