/// Names the case `some` on the way through an optional payload: `\.destination.some.settings`.
extension Optional: CasePathable {
    public struct AllCasePaths {
        public var none: AnyCasePath<Wrapped?, Void> {
            AnyCasePath(embed: { nil }, extract: { if case .none = $0 { () } else { nil } })
        }

        public var some: AnyCasePath<Wrapped?, Wrapped> {
            AnyCasePath(embed: { $0 }, extract: { $0 })
        }
    }

    public static var allCasePaths: AllCasePaths { AllCasePaths() }
}
