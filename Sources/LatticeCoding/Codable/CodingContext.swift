/// What values may ask their decoder or encoder for besides what is coded, as `userInfo`.
package enum CodingContext {
    /// Set around what is coded, on the thread that codes it. It makes the dictionary when somebody asks for it, which
    /// hardly any value does.
    @TaskLocal package static var source: (any CodingContextSource)?

    static var userInfo: [CodingUserInfoKey: Any] {
        guard let source else { return [:] }
        return source.userInfo
    }
}

/// Who knows what values ask for.
package protocol CodingContextSource: AnyObject, Sendable {
    var userInfo: [CodingUserInfoKey: any Sendable] { get }
}
