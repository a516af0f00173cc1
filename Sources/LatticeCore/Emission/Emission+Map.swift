extension Emission {
    /// The same emission with every action turned into one of a parent.
    public func map<ParentAction>(
        _ transform: @escaping @Sendable (Action) -> ParentAction
    ) -> Emission<ParentAction> {
        switch kind {
        case .none:
            return .none
        case .action(let action):
            return .action(transform(action))
        case .perform(let work):
            return .perform { try await work().map(transform) }
        case .run(let work):
            return .run { send in try await work(Send { await send(transform($0)) }) }
        case .observe(let stream):
            return .observe { await stream().mappingElements(transform) }
        case .merge(let children):
            return .merge(children.map { $0.map(transform) })
        case .append(let steps):
            return Emission<ParentAction>(kind: .append(steps.map { $0.map(transform) }))
        case .cancellable(let emission, let id, let cancelInFlight):
            return Emission<ParentAction>(
                kind: .cancellable(emission.map(transform), id: id, cancelInFlight: cancelInFlight)
            )
        case .cancel(let id):
            return Emission<ParentAction>(kind: .cancel(id: id))
        }
    }
}

extension AsyncStream where Element: Sendable {
    /// Pulls from this stream when it is pulled from: there is no buffer and no task between the two, so whoever
    /// cancels or drops the result ends this stream.
    func mappingElements<T: Sendable>(_ transform: @escaping @Sendable (Element) -> T) -> AsyncStream<T> {
        // An iterator of an `AsyncStream` is only a reference to the stream, so making one per element costs nothing.
        AsyncStream<T>(unfolding: {
            var iterator = self.makeAsyncIterator()
            return await iterator.next().map(transform)
        })
    }
}
