extension Emission {
    /// Returns the same emission with every action converted to an action of a parent.
    /// - Complexity: O(*n*), where *n* is the number of emissions that this emission consists of.
    public func map<ParentAction>(
        _ transform: @escaping @Sendable (Action) -> ParentAction
    ) -> Emission<ParentAction> {
        if isNone { return .none }
        return depth == 0 ? mapLeaf(transform) : rebuilt { $0.mapLeaf(transform) }
    }

    /// Converts an emission without parts. For an emission with parts it returns `none`, since these are mapped
    /// separately.
    private func mapLeaf<ParentAction>(
        _ transform: @escaping @Sendable (Action) -> ParentAction
    ) -> Emission<ParentAction> {
        let mapped = starter.map { starter -> Emission<ParentAction>.Starter in
            { send, threads in
                let work = starter(send.mapping(transform), threads)
                return { try await work().map(transform) }
            }
        }
        return Emission<ParentAction>(kind: mapKind(transform), starter: mapped, threads: threads, label: label)
    }

    private func mapKind<ParentAction>(
        _ transform: @escaping @Sendable (Action) -> ParentAction
    ) -> Emission<ParentAction>.Kind {
        switch kind {
        case .none:
            .none
        case .action(let action):
            .action(transform(action))
        case .perform(let work):
            .perform { await work().map(transform) }
        case .attempt(let work):
            .attempt { try await work().map(transform) }
        case .run(let work):
            .run { send in try await work(send.mapping(transform)) }
        case .observe(let stream):
            .observe { await stream().mappingElements(transform) }
        case .cancel(let id):
            .cancel(id: id)
        case .reject(let rejection):
            .reject(rejection)
        case .merge, .append, .cancellable:
            .none
        }
    }
}

extension Send {
    fileprivate func mapping<ChildAction>(
        _ transform: @escaping @Sendable (ChildAction) -> Action
    ) -> Send<ChildAction> {
        Send<ChildAction> { await self(transform($0)) }
    }
}

extension AsyncStream where Element: Sendable {
    /// Returns a stream that reads an element from this stream whenever an element is read from it. There is no buffer
    /// and no task between the two, so cancelling or releasing the result ends this stream.
    func mappingElements<T: Sendable>(_ transform: @escaping @Sendable (Element) -> T) -> AsyncStream<T> {
        // An iterator of an `AsyncStream` is only a reference to the stream, so creating one per element costs nothing.
        AsyncStream<T>(unfolding: {
            var iterator = self.makeAsyncIterator()
            return await iterator.next().map(transform)
        })
    }
}
