/// Members that a view model does not have, and a reader may expect. They are found where its view state has no member
/// of the name, so that they hide nothing.
public struct _ViewModelMistakes<Action> {
    /// Not a member of a view model.
    @available(*, unavailable, message: "A view model sends an event with 'sendViewEvent(_:)'")
    public var send: (Action) -> EventTask {
        fatalError("Unavailable, so nothing can call it")  // The compiler refuses every use.
    }
}
