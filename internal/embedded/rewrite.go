package embedded

import (
	"reflect"
	"strconv"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// Names of the functions that stand in the place of operators. No script can write them.
const (
	concatName = "(concat)"
	modName    = "(mod)"
	numberName = "(number)"
)

var exprType = reflect.TypeFor[ast.Expr]()

// asRedis changes a parsed script where gopher-lua's operators give another value than Redis's Lua: the text of a
// number in "..", the remainder, the bounds of a loop, and numbers such as 010. Lines stay as they are.
func asRedis(chunk []ast.Stmt) { rewrite(reflect.ValueOf(chunk)) }

func rewrite(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			rewrite(v.Index(i))
		}
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		rewrite(v.Elem())
		if v.Type() == exprType {
			v.Set(reflect.ValueOf(replaced(v.Interface().(ast.Expr))))
		}
		if loop, ok := v.Interface().(*ast.NumberForStmt); ok && v.Kind() == reflect.Pointer {
			for _, bound := range []*ast.Expr{&loop.Init, &loop.Limit, &loop.Step} {
				switch (*bound).(type) {
				case nil, *ast.NumberExpr, *ast.ArithmeticOpExpr, *ast.UnaryLenOpExpr:
				default:
					*bound = calling(numberName, loop, *bound)
				}
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			rewrite(v.Field(i))
		}
	}
}

// replaced is what stands in the place of an expression, whose parts have been replaced.
func replaced(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.NumberExpr:
		if n, ok := parseNumber(e.Value); ok {
			e.Value = strconv.FormatFloat(n, 'g', -1, 64)
		}
	case *ast.StringConcatOpExpr:
		if more, ok := e.Rhs.(*ast.FuncCallExpr); ok && isConcat(more) { // a .. b .. c is one call
			more.Args = append([]ast.Expr{e.Lhs}, more.Args...)
			return more
		}
		return calling(concatName, e, e.Lhs, e.Rhs)
	case *ast.ArithmeticOpExpr:
		if e.Operator != "%" {
			break
		}
		if one, ok := e.Rhs.(*ast.NumberExpr); !ok || one.Value != "1" {
			return calling(modName, e, e.Lhs, e.Rhs)
		}
		sum := &ast.ArithmeticOpExpr{Operator: "+", Lhs: e, Rhs: &ast.NumberExpr{Value: "0"}} // -0 becomes 0
		sum.SetLine(e.Line())
		sum.SetLastLine(e.LastLine())
		return sum
	}
	return e
}

func isConcat(call *ast.FuncCallExpr) bool {
	name, ok := call.Func.(*ast.IdentExpr)
	return ok && name.Value == concatName
}

// calling is a call of a function on the line of what it replaces. Only the first value of the last argument counts.
func calling(name string, at ast.PositionHolder, args ...ast.Expr) ast.Expr {
	switch last := args[len(args)-1].(type) {
	case *ast.FuncCallExpr:
		last.AdjustRet = true
	case *ast.Comma3Expr:
		last.AdjustRet = true
	}
	f := &ast.IdentExpr{Value: name}
	call := &ast.FuncCallExpr{Func: f, Args: args}
	for _, node := range []ast.PositionHolder{f, call} {
		node.SetLine(at.Line())
		node.SetLastLine(at.LastLine())
	}
	return call
}

// operators defines what asRedis calls, and arithmetic on texts.
func (s *scripts) operators(l *lua.LState) {
	l.SetGlobal(concatName, l.NewFunction(s.concat))
	l.SetGlobal(modName, l.NewFunction(func(l *lua.LState) int {
		a, b := l.Get(1), l.Get(2)
		x, ok := a.(lua.LNumber)
		y, okay := b.(lua.LNumber)
		if ok && okay {
			return give(l, lua.LNumber(modulo(float64(x), float64(y))))
		}
		return arithmetic(l, "__mod", modulo)
	}))
	l.SetGlobal(numberName, l.NewFunction(func(l *lua.LState) int {
		if n, ok := asNumber(l.Get(1)); ok {
			l.Push(lua.LNumber(n))
		}
		return 1
	}))
	texts := l.NewTable()
	library := l.GetGlobal(lua.StringLibName).(*lua.LTable)
	library.RawSetString("__index", lua.LNil)
	texts.RawSetString("__index", library)
	for event, compute := range operations {
		texts.RawSetString(event, l.NewFunction(func(l *lua.LState) int { return arithmetic(l, event, compute) }))
	}
	l.SetMetatable(lua.LString(""), texts)
}
