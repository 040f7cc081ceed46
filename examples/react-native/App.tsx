import { DLProvider, useCollection, useItem, useMutation } from '@edict/react';
import { ActivityIndicator, Button, FlatList, SafeAreaView, Text, View } from 'react-native';
import { api, dl, ticket, tickets } from './live';

export function App() {
  return (
    <DLProvider dl={dl}>
      <SafeAreaView style={{ flex: 1 }}>
        <List />
      </SafeAreaView>
    </DLProvider>
  );
}

function List() {
  const { data, error, isPending, refresh } = useCollection(tickets);
  if (isPending) return <ActivityIndicator accessibilityLabel="Loading" />;
  return (
    <FlatList
      data={data.ids}
      keyExtractor={String}
      renderItem={({ item }) => <Row id={item} />}
      ListHeaderComponent={
        error === null ? undefined : (
          <View style={{ padding: 12 }}>
            <Text accessibilityRole="alert">The tickets could not be loaded.</Text>
            <Button title="Try again" onPress={refresh} />
          </View>
        )
      }
    />
  );
}

function Row({ id }: { id: number }) {
  const { data } = useItem(ticket, id);
  const solve = useMutation((_: void, { json }) =>
    json(`${api}/api/tickets/${id}/solve`, { method: 'POST' }),
  );
  return (
    <View style={{ flexDirection: 'row', justifyContent: 'space-between', padding: 12 }}>
      <Text>
        {data?.title}: {data?.status}
        {solve.error === null ? '' : ' (could not be solved)'}
      </Text>
      <Button
        title="Solve"
        disabled={solve.isRunning || data?.status === 'solved'}
        onPress={() => void solve.run()}
      />
    </View>
  );
}
