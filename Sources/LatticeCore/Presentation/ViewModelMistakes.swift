/// Members that readers may expect of a view model although it does not have them. Lookup finds them only if the view
/// state has no member of that name, so they hide nothing.
public struct _ViewModelMistakes<Action> {
    /// Not available. Use `sendViewEvent(_:)`.
    @available(*, unavailable, message: "A view model sends an event with 'sendViewEvent(_:)'")
    public var send: (Action) -> EventTask {
        fatalError("Unavailable, so nothing can call it")  // The compiler refuses every use.
    }
}
